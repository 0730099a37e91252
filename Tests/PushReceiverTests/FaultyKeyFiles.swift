import PushReceiver

/// The real file system until a chosen operation, which fails, or at which the process "dies": nothing works after it.
final class FaultyKeyFiles: KeyFiles, @unchecked Sendable {
    // Unchecked: a test uses one instance from one task only.

    enum Fault: Hashable {
        /// Creating the temporary file fails, and nothing of it is there: disk full, no permission.
        case create
        /// The disk is full in the middle of writing; half of the file stays.
        case write
        /// The file is written, but can not be brought to the disk.
        case synchronizeFile
        case rename
        /// The rename happened, and its durability is not known.
        case synchronizeDirectory
        case list
        case remove
        case read
    }

    private let real = PosixKeyFiles()
    var fault: Fault?
    /// Whether everything after the fault fails too, as when the process is gone.
    var dies: Bool
    private var isDead = false
    /// Called between the check for an existing key and the first write.
    var beforeCreate: () throws -> Void = {}
    /// Called between writing a file and giving it its name.
    var beforeRename: () throws -> Void = {}

    init(_ fault: Fault? = nil, dies: Bool = false) {
        self.fault = fault
        self.dies = dies
    }

    static let failure = FileFailure(operation: "test", code: 28, reason: "No space left on device")

    func makeDirectory(_ path: String) throws(FileFailure) { try real.makeDirectory(path) }

    func permissions(ofDirectory path: String) throws(FileFailure) -> UInt16 { try real.permissions(ofDirectory: path) }

    func names(in directory: String) throws(FileFailure) -> [String] {
        try check(.list)
        return try real.names(in: directory)
    }

    func read(_ path: String, limit: Int) throws(FileFailure) -> [UInt8]? {
        try check(.read)
        return try real.read(path, limit: limit)
    }

    func create(_ path: String, _ content: [UInt8]) throws(FileFailure) {
        run(beforeCreate)
        try check(.create)
        do throws(FileFailure) { try check(.write) } catch {
            try real.create(path, Array(content.prefix(content.count / 2)))
            throw error
        }
        try real.create(path, content)
        try check(.synchronizeFile)
    }

    func rename(_ path: String, to newPath: String) throws(FileFailure) {
        run(beforeRename)
        try check(.rename)
        try real.rename(path, to: newPath)
    }

    func synchronize(directory path: String) throws(FileFailure) {
        try check(.synchronizeDirectory)
        try real.synchronize(directory: path)
    }

    func remove(_ path: String) throws(FileFailure) {
        try check(.remove)
        try real.remove(path)
    }

    private func check(_ operation: Fault) throws(FileFailure) {
        guard operation == fault || isDead else { return }
        isDead = dies
        throw Self.failure
    }

    private func run(_ hook: () throws -> Void) {
        do { try hook() } catch { fatalError("the hook failed: \(error)") }
    }
}
