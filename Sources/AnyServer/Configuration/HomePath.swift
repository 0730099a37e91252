import SecretFiles

/// Makes whole paths of those that people write.
struct HomePath {
    let home: String?
    let workingDirectory: String

    init(environment: [String: String], workingDirectory: String) {
        home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
        self.workingDirectory = workingDirectory
    }

    /// `path` from the root on: `~` is the home directory, anything else is relative to the working directory.
    ///
    /// - Returns: `nil` when the home directory is not known.
    func whole(_ path: String) -> String? {
        if path == "~" { return home }
        if path.hasPrefix("~/") { return home.map { Paths.join($0, String(path.dropFirst(2))) } }
        return path.hasPrefix("/") ? path : Paths.join(workingDirectory, path)
    }
}
