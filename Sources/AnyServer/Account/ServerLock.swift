import Glibc
import Locks
public import SecretFiles

/// What a running server holds on its account's directory, so that no second one works on the same files.
///
/// The lock is the kernel's (`flock` on `server.lock`) and goes with the process, however that ends. `server.pid` and
/// `server.addr` only name the holder: they prove nothing, and a killed server leaves them for the next one to replace.
public final class ServerLock: Sendable {
    /// Why a server can not have the directory.
    public enum Failure: Error, Hashable, Sendable {
        /// Another server has it.
        case inUse(directory: String, RunningServer)
        /// The files can not be written.
        case file(FileError)
    }

    /// The directory.
    public let directory: AccountDirectory

    private let lockFile: SystemLock<FileDescriptor?>

    /// Takes the lock and writes `server.pid`.
    ///
    /// - Parameter directory: made when it is missing.
    /// - Throws: ``Failure``.
    public init(_ directory: AccountDirectory) throws(Failure) {
        self.directory = directory
        do throws(FileError) {
            try directory.create()
            // Before the lock's file, which says from then on that the directory was used.
            if !directory.wasUsed { try directory.startAnew.set() }
            lockFile = SystemLock(try FolderLock.take(directory.lockPath))
        } catch {
            throw .file(error)
        }
        guard lockFile.withLock({ $0 != nil }) else {
            throw .inUse(directory: directory.path, RunningServer(namedIn: directory))
        }
        do throws(FileError) {
            try SecretFile(path: directory.addressPath).remove()
            try SecretFile(path: directory.processIdPath).replace(with: Array("\(getpid())\n".utf8))
        } catch {
            throw .file(error)
        }
    }

    deinit {
        release()
    }

    /// Writes where the server listens to `server.addr`, unless the directory is let go.
    ///
    /// - Parameter address: `host:port`, with the port that the system chose.
    /// - Throws: `FileError`.
    public func announce(address: String) throws(FileError) {
        let file = SecretFile(path: directory.addressPath)
        try lockFile.withLock { (lockFile) throws(FileError) in
            // Once it is let go, the directory may be the next server's.
            if lockFile != nil { try file.replace(with: Array("\(address)\n".utf8)) }
        }
    }

    /// Removes `server.pid` and `server.addr` and lets go of the directory. Does nothing the second time.
    public func release() {
        lockFile.withLock { file in
            guard file != nil else { return }
            // While the lock is held: afterwards they may be the next server's. What can not be removed does no harm.
            _ = try? SecretFile(path: directory.addressPath).remove()
            _ = try? SecretFile(path: directory.processIdPath).remove()
            file = nil
        }
    }
}

extension ServerLock.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .inUse(let directory, let server):
            "\(directory) is in use by \(server); stop it first with `any stop`, or use another account or data directory"
        case .file(let error): error.description
        }
    }
}
