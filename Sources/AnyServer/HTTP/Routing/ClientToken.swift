import PushCrypto
public import SecretFiles

/// What clients prove with that they are the server's owner, where the server asks for it: `Authorization: Bearer TOKEN`
/// (RFC 6750, section 2.1).
public struct ClientToken: Sendable {
    /// Why a token cannot be used.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The file has no token of 16 to 256 visible ASCII characters on its only line.
        case damaged(path: String)
        /// The file can not be read or made.
        case file(FileError)

        public var description: String {
            switch self {
            case .damaged(let path):
                "\(path) holds no token: expected one line of 16 to 256 visible ASCII characters; remove it to get a new one"
            case .file(let error): error.description
            }
        }
    }

    private static let scheme = "Bearer "
    private static let maximumByteCount = 1024

    private let token: ControlToken

    /// A token.
    init(_ token: ControlToken) {
        self.token = token
    }

    /// Reads a token's file.
    ///
    /// - Returns: `nil` when there is no such file.
    /// - Throws: ``Failure``.
    public static func read(_ path: String) throws(Failure) -> ClientToken? {
        let file = SecretFile(path: path)
        var content: [UInt8]
        do throws(FileError) {
            guard let bytes = try file.read(limit: maximumByteCount) else { return nil }
            content = bytes
        } catch {
            throw .file(error)
        }
        defer { Sodium.zero(&content) }
        let line = content.last == UInt8(ascii: "\n") ? content.dropLast() : content[...]
        guard let token = ControlToken(bytes: line) else { throw .damaged(path: path) }
        return ClientToken(token)
    }

    /// Reads a token's file, and makes it when there is none.
    ///
    /// - Throws: ``Failure``.
    static func open(_ path: String) throws(Failure) -> ClientToken {
        if let token = try read(path) { return token }
        let token = ClientToken(ControlToken())
        do throws(FileError) {
            try SecretFile(path: path).create(Array((token.token.text + "\n").utf8))
            return token
        } catch {
            // Another server was faster.
            if case .alreadyExists = error, let token = try read(path) { return token }
            throw .file(error)
        }
    }

    /// The value of the header that shows it.
    public var header: String { Self.scheme + token.text }

    /// Whether a request shows it.
    func isShown(by head: RequestHead) -> Bool {
        let values = head.headers.values("Authorization")
        guard values.count == 1, let value = values.first, value.hasPrefix(Self.scheme) else { return false }
        return token.matches(String(value.dropFirst(Self.scheme.count)))
    }
}
