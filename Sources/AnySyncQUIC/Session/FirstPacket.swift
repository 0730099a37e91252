internal import AnySyncNet
internal import AnySyncWire
internal import CQUIC

/// The packet with which a dialer begins, as long as its datagram is at hand.
struct FirstPacket {
    private let initial: cquic_initial
    private var original: cquic_id?
    /// Whether the dialer has proven its address by returning our retry token.
    var isValidated: Bool { original != nil }

    /// What a datagram may be that begins a connection.
    enum Verdict {
        case no
        case yes(FirstPacket)
        /// Only after the dialer has proven its address.
        case afterRetry(FirstPacket)
        /// It carries a token that looks like ours and is not, or is of another address, or is old.
        case badToken(FirstPacket)
    }

    private init(_ initial: cquic_initial) {
        self.initial = initial
    }

    /// Looks at a datagram that belongs to no connection.
    static func judge(
        _ datagram: UnsafeRawBufferPointer, on path: DatagramPath, _ context: QUICContext, now: MonotonicTime
    ) -> Verdict {
        var initial = cquic_initial()
        let result = cquic_accept(
            datagram.baseAddress?.assumingMemoryBound(to: UInt8.self), datagram.count, &initial)
        guard result != CQUIC_ACCEPT_NO else { return .no }
        var packet = FirstPacket(initial)
        guard cquic_token_kind_of(&initial) == CQUIC_TOKEN_RETRY else {
            return result == CQUIC_ACCEPT_YES ? .yes(packet) : .afterRetry(packet)
        }
        var original = cquic_id()
        let status = withUnsafePointer(to: path.raw.remote) {
            cquic_verify_retry_token(context.raw, &initial, $0, now.nanoseconds, &original)
        }
        guard status == 0 else { return .badToken(packet) }
        packet.original = original
        return .yes(packet)
    }

    /// The id that the dialer has chosen for us, until it learns ours.
    var destination: ConnectionId { ConnectionId(initial.destination) }

    /// Lets the library see the packet, and the id of the one before its retry.
    func withRaw<R>(_ body: (UnsafePointer<cquic_initial>, UnsafePointer<cquic_id>?) -> R) -> R {
        withUnsafePointer(to: initial) { initial in
            guard let original else { return body(initial, nil) }
            return withUnsafePointer(to: original) { body(initial, $0) }
        }
    }

    /// Writes the packet that asks for a proof of the dialer's address.
    func retry(
        on path: DatagramPath, _ context: QUICContext, now: MonotonicTime,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        withUnsafePointer(to: initial) { initial in
            withUnsafePointer(to: path.raw.remote) { remote in
                cquic_write_retry(context.raw, buffer.baseAddress, buffer.count, initial, remote, now.nanoseconds)
            }
        }
    }

    /// Writes the packet that refuses the dialer's token.
    func invalidToken(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        withUnsafePointer(to: initial) { cquic_write_invalid_token(buffer.baseAddress, buffer.count, $0) }
    }
}
