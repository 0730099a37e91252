import FoundationEssentials
import Glibc

/// A directory of a test's own, with everything in it removed when the test ends.
final class TemporaryDirectory {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("anypush-\(UUID().uuidString)").path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
    }

    func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: file(name))), as: UTF8.self)
    }

    func permissions(of name: String? = nil) throws -> Int {
        var status = stat()
        guard lstat(name.map(file) ?? path, &status) == 0 else { throw CocoaError(.fileReadNoSuchFile) }
        return Int(status.st_mode & 0o777)
    }
}
