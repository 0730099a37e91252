import Glibc
public import SecretFiles

/// The server that has an account's directory, as far as it says who it is.
public struct RunningServer: Hashable, Sendable {
    // A decimal process id; host:port with a host name as long as they get.
    private static let processIdLimit = 32
    private static let addressLimit = 300

    /// Its process id; `nil` while it is just starting.
    public let processId: Int32?
    /// Where it listens, `host:port`; `nil` before it does.
    public let address: String?

    /// Looks whether a server has a directory. Files that a killed server left behind do not count.
    ///
    /// - Returns: `nil` when none has it.
    /// - Throws: `FileError`.
    public static func find(in directory: AccountDirectory) throws(FileError) -> RunningServer? {
        do throws(FileError) {
            let file = try OwnFile.open(directory.lockPath, O_RDONLY, step: .lock)
            // What is sent to the server that it names is for nobody else.
            try Folder.requireTrusted(directory.path)
            do throws(SystemCode) {
                guard try !file.tryLock(isShared: true) else { return nil }
            } catch {
                throw FileError.failed(.lock, path: directory.lockPath, code: error.rawValue)
            }
        } catch {
            if case .failed(_, _, ENOENT) = error { return nil }
            throw error
        }
        return RunningServer(namedIn: directory)
    }

    init(processId: Int32?, address: String?) {
        self.processId = processId
        self.address = address
    }

    /// What the label files in a directory say.
    init(namedIn directory: AccountDirectory) {
        let processId = Self.line(of: directory.processIdPath, limit: Self.processIdLimit).flatMap { Int32($0) }
        self.init(
            processId: processId.flatMap { $0 > 0 ? $0 : nil },
            address: Self.line(of: directory.addressPath, limit: Self.addressLimit)
        )
    }

    private static func line(of path: String, limit: Int) -> String? {
        guard
            let bytes = try? BoundedFile.read(path, limit: limit, isOwn: true),
            let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            end > 0, bytes[..<end].allSatisfy({ (0x21...0x7e).contains($0) })
        else { return nil }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}

extension RunningServer: CustomStringConvertible {
    public var description: String {
        var words = "another server"
        if let processId { words += ", process \(processId)" }
        if let address { words += ", at \(address)" }
        return words
    }
}
