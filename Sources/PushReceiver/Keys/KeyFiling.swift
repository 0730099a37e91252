public import PushCrypto

/// What the device knows of a payload encryption key in one space.
///
/// Any member can seal a payload that names any space, so a payload counts for a space only when its key was filed for it.
public struct KeyFiling: Hashable, Sendable {
    /// How long after it was superseded a key still opens what arrives, in seconds: seven days, the longest that a node keeps
    /// a notification. What comes later was sealed by somebody who did not get the newer key.
    public static let grace: Int64 = 7 * 86_400

    /// When another key of the space took this one's place, in seconds since 1970; `nil` while it is the space's key.
    public var supersededAt: Int64?
    /// The accounts of this device on whose rows the key was seen, as far as the app has named them.
    public var accounts: [PublicKey]

    /// A filing; see the properties.
    public init(supersededAt: Int64? = nil, accounts: [PublicKey] = []) {
        self.supersededAt = supersededAt
        self.accounts = accounts
    }

    /// Whether what arrives at `time` may still be sealed under the key.
    ///
    /// - Parameter time: in seconds since 1970.
    public func isValid(at time: Int64) -> Bool {
        guard let supersededAt else { return true }
        return time.subtractingReportingOverflow(supersededAt).partialValue <= Self.grace
    }
}
