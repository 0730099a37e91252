public import FoundationEssentials

/// Where the checkout's own data files are.
public enum Repository {
    /// The package's folder.
    public static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The golden vectors.
    public static let vectors = root.appendingPathComponent("Tests/Vectors")
}
