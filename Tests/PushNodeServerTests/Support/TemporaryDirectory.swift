import FoundationEssentials

/// A folder of its own for each test, removed with the last reference.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("anypush-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { path + "/" + name }

    /// What a crash would leave of a store: the file and its log as they are now.
    func copyStore(_ name: String, to copy: String) throws {
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: file(name + suffix)) {
            try? FileManager.default.removeItem(atPath: file(copy + suffix))
            try FileManager.default.copyItem(atPath: file(name + suffix), toPath: file(copy + suffix))
        }
    }
}
