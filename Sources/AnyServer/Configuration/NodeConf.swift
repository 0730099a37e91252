import PushCrypto

/// What is needed of a network's node configuration, YAML or JSON: which network it is. The nodes are not read.
public struct NodeConf: Hashable, Sendable {
    /// The network's id, `N…`.
    public let networkId: String

    /// Reads a node configuration.
    ///
    /// - Parameters:
    ///   - text: its bytes, at most 1 MiB.
    ///   - name: what to call it in errors, such as its path.
    /// - Throws: ``ConfigurationError``.
    public init(_ text: [UInt8], name: String) throws(ConfigurationError) {
        let node = try ConfigurationFile.parse(text, path: name)
        guard let value = node?["networkId"], case .scalar(let id, _) = value.content else {
            throw ConfigurationError(
                .invalidValue(key: "networkId", problem: "a node configuration must have it; take a whole one"),
                at: .file(path: name, line: node?.mark.line ?? 1, column: node?.mark.column ?? 1)
            )
        }
        guard (try? PublicKey(networkId: id)) != nil else {
            throw ConfigurationError(
                .wrongType(key: "networkId", expected: "a network id, N…", found: SettingInput.node(value).description),
                at: .file(path: name, line: value.mark.line, column: value.mark.column)
            )
        }
        networkId = id
    }
}
