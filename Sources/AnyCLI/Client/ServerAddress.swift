import AnyServer
import AnySyncNet
import Glibc

/// Where a command looks for its server.
struct ServerAddress: Sendable, CustomStringConvertible {
    /// The host, an IPv6 address without its brackets.
    let host: String
    let port: UInt16
    /// The path of the Unix socket that the server listens on, `nil` for a port.
    let socketPath: String?

    /// Reads `host:port`, such as `127.0.0.1:7001` or `[::1]:7001`, or `unix:/path`.
    init(_ text: String) throws(CommandFailure) {
        let failure = CommandFailure("address \"\(text)\" is not host:port, such as 127.0.0.1:7001, nor unix:/path")
        if text.hasPrefix(ListenAddress.unixPrefix) {
            let path = String(text.dropFirst(ListenAddress.unixPrefix.count))
            guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw failure }
            // What the server answers to by name.
            (host, port, socketPath) = ("localhost", 0, path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw failure
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw failure
        }
        let isHost = host.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
                || [0x2D, 0x2E, 0x3A, 0x5F].contains(byte)
        }
        guard !host.isEmpty, isHost else { throw failure }
        self.host = String(host)
        self.port = port
        socketPath = nil
    }

    /// The server of the options: the one that is named, else the one that runs in the account's directory, else the
    /// address that the configuration has, which is 127.0.0.1:7001 unless told otherwise.
    ///
    /// - Returns: the address, and whose server it must be where the address alone does not say so.
    static func find(_ values: Values) throws(CommandFailure) -> (address: ServerAddress, expected: ExpectedAccount?) {
        if let text = values.option(.address) { return (try ServerAddress(text), nil) }
        let configuration = try LocalServer.configuration()
        // Its lock says whose it is.
        if let running = try LocalServer.find(configuration)?.running.address {
            return (try ServerAddress(running), nil)
        }
        let accounts = LocalServer.expectedAccounts(configuration)
        let address = try ServerAddress(configuration.listenAddress.value.description)
        return (address, accounts.isEmpty ? nil : ExpectedAccount(accounts))
    }

    /// Refuses another user's socket: whoever listens there would be told all that the owner says.
    func checkOwner() throws(CommandFailure) {
        var status = stat()
        guard let socketPath, lstat(socketPath, &status) == 0 else { return }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw CommandFailure(
                "\(self) belongs to the user \(status.st_uid); name a socket of your own with --addr")
        }
    }

    /// The URL of a path at the server.
    func url(_ path: String) -> String {
        socketPath == nil ? "http://\(self)\(path)" : "http://\(host)\(path)"
    }

    var description: String {
        if let socketPath { return ListenAddress.unixPrefix + socketPath }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
