import SecretFiles

/// The port that the system gave a server last (`server.port`): one that asks for any gets it again when it is free, so that
/// clients which remember it find the server.
struct LastPort {
    private static let limit = 16

    private let file: SecretFile

    /// - Parameter folder: an account's, or the data directory while there is no account.
    init(in folder: String) {
        file = SecretFile(path: Paths.join(folder, "server.port"))
    }

    /// The port, `nil` when none is known.
    func read() -> UInt16? {
        guard let bytes = try? file.read(limit: Self.limit) else { return nil }
        let port = UInt16(String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber })
        return port == 0 ? nil : port
    }

    /// Keeps a port. What can not be kept is not missed: another port serves as well.
    func write(_ port: UInt16) {
        try? file.replace(with: Array("\(port)\n".utf8))
    }
}
