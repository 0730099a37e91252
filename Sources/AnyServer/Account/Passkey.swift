import Glibc
import PushCrypto

/// What a wallet is encrypted with at rest. It comes from the environment or standard input, never from a flag or a file.
public struct Passkey: Sendable {
    /// The environment variable that it is read from unless the configuration names another.
    public static let defaultVariable = "ANY_WALLET_PASSKEY"
    /// The longest passkey in bytes of UTF-8.
    public static let maximumByteCount = 1024

    let secret: SecretBytes

    /// Why there is no passkey.
    public enum Failure: Error, Hashable, Sendable {
        /// It is longer than ``Passkey/maximumByteCount``.
        case tooLong
        /// Standard input can not be read; `code` is the `errno`.
        case unreadable(code: CInt)
    }

    /// A passkey as typed.
    ///
    /// - Returns: `nil` for an empty text, which means a wallet in the clear.
    /// - Throws: ``Failure/tooLong``.
    public init?(_ text: String) throws(Failure) {
        var bytes = Array(text.utf8)
        defer { Sodium.zero(&bytes) }
        try self.init(bytes: bytes)
    }

    /// The passkey in an environment.
    ///
    /// - Parameters:
    ///   - variable: the name of the variable.
    ///   - environment: the process's variables.
    /// - Returns: `nil` when the variable is not set, or empty.
    /// - Throws: ``Failure/tooLong``.
    public init?(variable: String, in environment: [String: String]) throws(Failure) {
        guard let text = environment[variable] else { return nil }
        try self.init(text)
    }

    /// Reads the first line of an open file, without what comes after it.
    ///
    /// - Parameter descriptor: standard input unless a test says otherwise.
    /// - Returns: `nil` for an empty line.
    /// - Throws: ``Failure``.
    public init?(lineOf descriptor: CInt = 0) throws(Failure) {
        // One more than fits, for a carriage return.
        var bytes = [UInt8](repeating: 0, count: Self.maximumByteCount + 1)
        defer { Sodium.zero(&bytes) }
        var count = 0
        reading: while true {
            // Byte by byte: what follows the line is for someone else.
            var byte: UInt8 = 0
            switch read(descriptor, &byte, 1) {
            case 1 where byte == UInt8(ascii: "\n"): break reading
            case 1:
                guard count < bytes.count else { throw .tooLong }
                bytes[count] = byte
                count += 1
            case 0: break reading
            default: if errno != EINTR { throw .unreadable(code: errno) }
            }
        }
        if count > 0, bytes[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        try self.init(bytes: bytes.prefix(count))
    }

    private init?(bytes: some Collection<UInt8>) throws(Failure) {
        guard bytes.count <= Self.maximumByteCount else { throw .tooLong }
        guard !bytes.isEmpty else { return nil }
        secret = SecretBytes(bytes)
    }
}

extension Passkey: CustomStringConvertible {
    /// Nothing of the passkey.
    public var description: String { "passkey" }
}

extension Passkey.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong: "the passkey is longer than \(Passkey.maximumByteCount) bytes; use a shorter one"
        case .unreadable(let code): "cannot read the passkey from standard input: \(String(cString: strerror(code)))"
        }
    }
}
