/// The bounds of what a DRPC peer may send.
public struct DRPCLimits: Hashable, Sendable {
    /// The largest message in bytes, decompressed: 2 MiB. protocol.md §7 suggests 1 MiB and leaves it open; all topics of
    /// an account, which are set in one request, take up to 1.83 MiB.
    public var maximumMessageSize = 2 << 20

    /// The longest rpc name in bytes. Ours; the push API's take under 40.
    public var maximumNameLength = 1024

    /// The largest body in bytes of any other packet, such as an error's text or metadata. Ours.
    public var maximumOtherSize = 64 * 1024

    /// The defaults.
    public init() {}

    /// The largest body of a packet of this kind, as it is on the wire.
    func maximumBody(of kind: DRPCKind, _ encoding: MessageEncoding) -> Int {
        switch kind {
        case .message: encoding.maximumBody(ofMessage: maximumMessageSize)
        case .invoke: maximumNameLength
        default: maximumOtherSize
        }
    }
}
