import PushCrypto

/// What the host of a managed server proves with that it owns it.
public struct ControlToken: Sendable {
    /// The header that carries it.
    public static let header = "X-Any-Control-Token"
    /// The environment variable that clients take it from.
    public static let variable = "ANY_CONTROL_TOKEN"
    // 32 random bytes, in hex on the line CONTROL_TOKEN and in the header.
    private static let byteCount = 32
    // A host may bring its own, which must be hard to guess and fit a header.
    private static let hostLengths = 16...256

    private let secret: SecretBytes

    /// A fresh random token.
    public init() {
        secret = SecretBytes(Hexadecimal.encode(Sodium.random(Self.byteCount)).utf8)
    }

    /// A token that the host chose.
    ///
    /// - Parameter text: 16 to 256 visible ASCII characters.
    /// - Returns: `nil` for any other text.
    public init?(_ text: String) {
        self.init(bytes: text.utf8)
    }

    /// The same from bytes.
    init?(bytes: some Collection<UInt8>) {
        guard Self.hostLengths.contains(bytes.count), bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        secret = SecretBytes(bytes)
    }

    /// The token as text, for the host's eyes only.
    public var text: String {
        secret.withBuffer { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether `candidate` is the token, in a time that does not depend on where they differ.
    public func matches(_ candidate: String) -> Bool {
        secret.isEqual(to: SecretBytes(candidate.utf8))
    }
}

extension ControlToken: CustomStringConvertible, CustomReflectable {
    /// Nothing of the token.
    public var description: String { "ControlToken" }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
