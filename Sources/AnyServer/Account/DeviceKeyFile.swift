public import PushCrypto
public import SecretFiles

/// The device key of a managed account (`device.key`).
///
/// The host of a managed server brings the account key at every start and none of it is written down. The device key has to
/// stay the same, or every start would be a device that nobody has seen. JSON of version 1, the key as base64 of its
/// 32-byte seed: `{"format": "anypush.device-key", "version": 1, "deviceKey": "…"}`.
public struct DeviceKeyFile: Sendable {
    /// Why there is no device key.
    public enum Failure: Error, Hashable, Sendable {
        /// The file is missing, and the account was in use before; `remedy` says how to go on without it.
        case lost(path: String, remedy: String)
        /// The file is none of ours, or damaged. It is left as it is.
        case unusable(path: String, reason: String)
        /// The file can not be read or written.
        case file(FileError)
    }

    private static let format = "anypush.device-key"
    private static let version: UInt64 = 1
    private static let maximumByteCount = 4096

    private let file: SecretFile

    /// The device key in an account's directory.
    public init(in directory: AccountDirectory) {
        self.init(file: SecretFile(path: directory.deviceKeyPath))
    }

    /// The key of an account whose directory is locked: the one in the file, or a fresh one where there was none before.
    ///
    /// - Throws: ``Failure``.
    static func open(in directory: AccountDirectory) throws(Failure) -> SigningKey {
        let file = DeviceKeyFile(in: directory)
        // An account with a wallet has its device key there, and none here until a host manages it.
        if directory.startAnew.isSet || BoundedFile.exists(directory.walletPath) { return try file.loadOrCreate() }
        if let key = try file.load() { return key }
        throw .lost(path: file.file.path, remedy: directory.startAnew.remedy)
    }

    init(file: SecretFile) {
        self.file = file
    }

    /// The key in the file, or a fresh one that is in the file from now on.
    ///
    /// - Throws: ``Failure``.
    public func loadOrCreate() throws(Failure) -> SigningKey {
        if let key = try load() { return key }
        let key = SigningKey()
        var bytes = SecretJSONWriter.object { file in
            file.text("format", Self.format)
            file.number("version", Self.version)
            file.seed("deviceKey", of: key)
        }
        defer { Sodium.zero(&bytes) }
        do throws(FileError) {
            let folder = Paths.folder(of: file.path)
            try Folder.create(folder)
            try Folder.requireTrusted(folder)
            try file.create(bytes)
        } catch {
            // Another server may have been faster; its key counts.
            if case .alreadyExists = error, let key = try load() { return key }
            throw .file(error)
        }
        return key
    }

    private func load() throws(Failure) -> SigningKey? {
        var bytes: [UInt8]
        do throws(FileError) {
            guard let content = try file.read(limit: Self.maximumByteCount) else { return nil }
            bytes = content
        } catch {
            throw .file(error)
        }
        defer { Sodium.zero(&bytes) }
        guard let object = try? SecretJSONReader.read(bytes), object.text("format", in: bytes) == Self.format else {
            throw .unusable(path: file.path, reason: "it is no device key of this software")
        }
        guard let version = object.number("version"), version == Self.version else {
            throw .unusable(path: file.path, reason: "it is not of version \(Self.version)")
        }
        guard let key = object.signingKey("deviceKey", in: bytes) else {
            throw .unusable(path: file.path, reason: "deviceKey is not the base64 of a 32-byte seed")
        }
        return key
    }
}

extension DeviceKeyFile.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .lost(let path, let remedy):
            "\(path) is missing, and the account was in use before: restore it from a backup; \(remedy), as a new device"
        case .unusable(let path, let reason):
            "\(path) can not be used: \(reason); put a backup in its place, or move it away to start as a new device"
        case .file(let error): error.description
        }
    }
}
