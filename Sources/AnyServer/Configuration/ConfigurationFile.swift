import SecretFiles

/// The configuration file: where it is and what is in it.
enum ConfigurationFile {
    /// Where to look, in this order, when nobody names a file.
    static func searchPaths(environment: [String: String], dataDirectory: String) -> [String] {
        var folders: [String] = []
        if let base = environment["XDG_CONFIG_HOME"], !base.isEmpty { folders.append(Paths.join(base, "any")) }
        if let home = environment["HOME"], !home.isEmpty { folders.append(Paths.join(home, ".config/any")) }
        folders.append(dataDirectory)
        return folders.map { Paths.join($0, "config.yaml") }
    }

    /// Reads a file.
    ///
    /// - Parameter isOwn: whether it is in an account's directory, where nobody else's file counts.
    /// - Returns: `nil` when there is none.
    static func read(_ path: String, isOwn: Bool = false) throws(ConfigurationError) -> [UInt8]? {
        do throws(FileError) {
            return try BoundedFile.read(path, limit: YAMLReader.maximumByteCount, isOwn: isOwn)
        } catch {
            throw ConfigurationError(.unreadableFile(error))
        }
    }

    /// Reads the YAML of a file.
    static func parse(_ text: [UInt8], path: String) throws(ConfigurationError) -> YAMLNode? {
        do throws(YAMLError) { return try YAMLReader.read(text) } catch {
            throw ConfigurationError(
                .malformedFile(error.reason.description),
                at: .file(path: path, line: error.mark.line, column: error.mark.column)
            )
        }
    }
}
