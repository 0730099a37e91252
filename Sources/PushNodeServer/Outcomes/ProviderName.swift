/// The name of a provider as it is told to those whose notifications it takes, such as `spool`.
public struct ProviderName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name in bytes; clients take no longer one.
    public static let maximumByteCount = 32

    /// The name.
    public let text: String

    /// A name: what of the text is over the maximum is left out.
    public init(_ text: String) {
        self.text = String(decoding: text.utf8.prefix(Self.maximumByteCount), as: UTF8.self)
    }

    public var description: String { text }
}

extension ProviderName: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}
