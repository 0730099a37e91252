import FoundationEssentials
import Glibc

/// A directory of our own that goes when its owner says so.
struct TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array((FileManager.default.temporaryDirectory.path + "/any-demo-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else {
            throw ChildProcess.Failure(description: "no temporary directory: \(String(cString: strerror(errno)))")
        }
        path = String(cString: made)
    }

    /// Removes it with all it holds.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
