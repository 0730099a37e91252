public import SecretFiles

/// Where an account's files are: `<root>/<accountId>/`, or the root itself for the account of the older, flat layout.
public struct AccountDirectory: Hashable, Sendable {
    /// The directory.
    public let path: String

    /// The account directory at `path`.
    public init(path: String) {
        self.path = path
    }

    /// The wallet of an account whose owner runs the server.
    public var walletPath: String { Paths.join(path, "wallet.key") }
    /// The device key of an account that a host manages.
    public var deviceKeyPath: String { Paths.join(path, "device.key") }
    /// What the running server holds a lock on. Always empty, and never removed, or two servers could lock two files; that it
    /// is there says that the directory was used.
    public var lockPath: String { Paths.join(path, "server.lock") }
    /// The running server's process id, for messages.
    public var processIdPath: String { Paths.join(path, "server.pid") }
    /// The running server's address, `host:port`.
    public var addressPath: String { Paths.join(path, "server.addr") }
    /// The push token of the phone that the server runs on.
    public var deviceTokenPath: String { Paths.join(path, "push-token.json") }
    /// The push nodes that have spoken an encrypted kind.
    public var encryptedPeersPath: String { Paths.join(path, "encrypted-peers") }
    /// The network that the account belongs to.
    public var networkPath: String { Paths.join(path, "network.json") }
    /// Spaces and chats.
    public var dataPath: String { Paths.join(path, "sdk") }
    /// The store in it.
    var storePath: String { Paths.join(dataPath, "account.db") }
    /// The content of files.
    public var filesPath: String { Paths.join(path, "files") }
    /// The search index.
    public var indexPath: String { Paths.join(path, "index") }

    /// Says that what is missing here may be made: the directory is new, or its owner begins anew.
    var startAnew: StartAnewMark { StartAnewMark(in: path) }

    /// Whether a server has had the directory: then what a server makes at its first start must be there.
    var wasUsed: Bool { BoundedFile.exists(lockPath) }

    /// Makes the directory and the folders in it that are missing, for their owner only (mode 0700).
    ///
    /// - Throws: `FileError`; also when another user owns one of them or may write it.
    public func create() throws(FileError) {
        for folder in [dataPath, filesPath, indexPath] { try Folder.create(folder) }
        for folder in [path, dataPath, filesPath, indexPath] { try Folder.requireTrusted(folder) }
    }
}
