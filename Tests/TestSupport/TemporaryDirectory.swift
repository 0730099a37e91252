import FoundationEssentials
import Glibc

/// A folder of its own for one test, removed with all that is in it when the test lets go of it.
public final class TemporaryDirectory: Sendable {
    /// Where the folder is.
    public let path: String

    /// Makes a folder that nothing else uses.
    public init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("anypush-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of `name` inside.
    public func path(_ name: String) -> String { path + "/" + name }

    /// Writes a file inside and returns its path.
    @discardableResult
    public func write(_ content: String, to name: String, mode: UInt32 = 0o600) throws -> String {
        let path = path(name)
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        chmod(path, mode)
        return path
    }

    /// The text of a file inside.
    public func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
    }

    /// The names inside, sorted; of the folder `name` inside when one is given.
    public func names(in name: String = ".") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
    }

    /// The permission bits of a file or folder inside, `nil` when there is none.
    public func mode(_ name: String) -> UInt32? {
        var status = stat()
        return lstat(path(name), &status) == 0 ? status.st_mode & 0o7777 : nil
    }
}
