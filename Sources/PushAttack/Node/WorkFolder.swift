import FoundationEssentials

/// A folder for one round, removed with all that is in it when it is let go of.
final class WorkFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/push-attack-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
