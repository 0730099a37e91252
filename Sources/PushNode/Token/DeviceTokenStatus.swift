public import PushAPI

/// What is known of the device's token, without the token. Nothing is asked of the node for it.
public struct DeviceTokenStatus: Hashable, Sendable {
    /// Whether there is a token on this device.
    public var isRegistered = false
    /// The token's platform, `nil` without a token.
    public var platform: Platform?
    /// Whether the node is known to hold what it should: the token, or none.
    public var isSettled = false
    /// How long ago the node last confirmed that it holds what it should; `nil` when it did not since the start.
    public var sinceConfirmed: Duration?
    /// Whether a deletion waits for the node to confirm it.
    public var isRevoking = false
    /// How many calls to the node have failed in a row.
    public var failures = 0
    /// Why the last call to the node failed, `nil` after a success.
    public var lastError: PushNodeError?
    /// Why the record could not be read at the start or updated in the background, `nil` otherwise.
    public var recordError: String?

    /// Nothing known.
    public init() {}
}
