import SecretFiles

/// Takes the folders out of texts that go over HTTP: a file is named there, and where it is, is nobody's business.
struct PathShortener: Sendable {
    private let folders: [String]

    /// - Parameter folders: Whole paths; those in others come out first.
    init(folders: [String]) {
        self.folders = folders.filter { $0.count > 1 }.sorted { $0.count > $1.count }.map { $0 + "/" }
    }

    /// The text with the names of files for their paths.
    func shorten(_ text: String) -> String {
        folders.reduce(text) { text, folder in text.replacing(folder, with: "") }
    }
}

extension PathShortener {
    /// Knows the folders that a server with an account reads and writes.
    init(_ configuration: ServerConfiguration, account: AccountDirectory) {
        var folders = [account.path, configuration.dataDirectory.value, account.dataPath]
        let files = [configuration.path, configuration.network.nodeConfPath.value].compactMap { $0 }
        folders += files.map(Paths.folder(of:))
        self.init(folders: folders)
    }
}
