public import PushCrypto

/// The listener's side of the credential handshake, once per connection (protocol.md §6).
///
/// Credentials in, credentials out, ack in, ack out. It answers with the dialer's version when that is accepted: older
/// peers take no other. The deadline (10 s in all) is the caller's; see ``failure(_:)``.
public struct CredentialListener: Sendable {
    private enum State: Sendable {
        case awaitingCredentials
        case awaitingAck(HandshakeResult)
        case over
    }

    private let local: LocalCredentials
    private let remotePeer: PeerId
    private var remote: Credentials?
    private var reader = HandshakeFrameReader()
    private var state = State.awaitingCredentials

    /// A handshake before its first message.
    ///
    /// - Parameters:
    ///   - remotePeer: the peer id that the dialer's certificate has proven.
    ///   - local: who we are.
    public init(from remotePeer: PeerId, as local: LocalCredentials) {
        self.local = local
        self.remotePeer = remotePeer
    }

    /// Looks at what arrived.
    ///
    /// - Parameter input: what arrived; what the handshake takes is removed from its front. Bytes after the last frame
    ///   stay.
    /// - Returns: what to write, and how the handshake ended, if it did. After success nothing more may be written
    ///   until the dialer's first byte of what follows (protocol.md §5).
    public mutating func receive(
        _ input: inout ArraySlice<UInt8>
    ) -> HandshakeStep<HandshakeResult, HandshakeFailure> {
        var output: [UInt8] = []
        do {
            let result = try advance(&input, &output)
            return HandshakeStep(output: output, result: result.map { .success($0) })
        } catch {
            state = .over
            if let code = error.ack { output += HandshakeAck(code).frame }
            return HandshakeStep(output: output, result: .failure(failure(error)))
        }
    }

    /// A failure that the caller found, with the versions known so far.
    ///
    /// - Parameter reason: ``HandshakeFailure/Reason/deadlineExceeded`` or ``HandshakeFailure/Reason/connectionEnded``.
    public func failure(_ reason: HandshakeFailure.Reason) -> HandshakeFailure {
        HandshakeFailure(reason, local: local, remote: remote)
    }

    private mutating func advance(
        _ input: inout ArraySlice<UInt8>, _ output: inout [UInt8]
    ) throws(HandshakeFailure.Reason) -> HandshakeResult? {
        if case .awaitingCredentials = state {
            guard let frame = try reader.frame(&input, [.credentials]) else { return nil }
            let credentials = try frame.credentials()
            remote = credentials
            let identity = try local.check(credentials, from: remotePeer)
            state = .awaitingAck(HandshakeResult(identity: identity, credentials))
            let answer = local.message(to: remotePeer, version: credentials.version)
            output += HandshakeFrame.encode(.credentials, answer.encoded)
        }
        guard case .awaitingAck(let result) = state, let frame = try reader.frame(&input, [.ack]) else { return nil }
        state = .over
        let code = try frame.ack()
        guard code == .null else { throw .refusedByPeer(code) }
        output += HandshakeAck(.null).frame
        return result
    }
}
