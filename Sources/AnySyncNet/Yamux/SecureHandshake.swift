internal import AnySyncWire
internal import PushCrypto

/// The way from a fresh TCP connection to an authenticated one, without I/O: TLS, then credentials inside it; yamux
/// follows on the bare socket or inside TLS (protocol.md §5, §6).
///
/// It takes whole TLS records and not a byte past the last one it needs, so what follows reaches yamux wherever the
/// network cut it.
final class SecureHandshake {
    /// What both handshakes have established.
    ///
    /// Unchecked because a TLS session is mutable: an outcome is made and used on the connection's loop, by one owner
    /// after the other, which hand it on and keep nothing.
    struct Outcome: @unchecked Sendable {
        let peer: PeerId
        let result: HandshakeResult
        /// The TLS session that yamux runs in; `nil` for yamux on the bare socket.
        let channel: TLSChannel?
        /// What the peer has sent of yamux already.
        let early: [UInt8]
    }

    /// What to do after looking at what arrived: first write, then act on the result.
    struct Step {
        var output: [UInt8]
        var result: Result<Outcome, TransportError>?
        /// Whether TLS is done at a dialer: ``beginCredentials(version:)`` comes next.
        var isPeerProven = false
    }

    private let isDialer: Bool
    private let kinds: Set<ConnectionKind>
    private var local: LocalCredentials
    let channel: TLSChannel
    private var credentials: CredentialHandshake?
    private var received = 0

    // Two small certificates, a few acks, and one credentials frame of the largest size allowed.
    private static let maximumBytes = Int(HandshakeFrame.maximumBodySize) + 64 * 1024

    /// A dialer's handshake.
    ///
    /// - Parameters:
    ///   - peer: who must answer.
    ///   - kind: ``ConnectionKind/yamux`` or ``ConnectionKind/tlsYamux``.
    ///   - local: who we are; the version is said later.
    ///   - now: the time in seconds since 1970.
    init(
        dialing peer: PeerId, kind: ConnectionKind, as local: LocalCredentials, context: TLSContext,
        now: @escaping () -> Int64
    ) throws(TransportError) {
        isDialer = true
        kinds = [kind]
        self.local = local
        channel = TLSChannel(
            try TLSSession(
                context: context, role: .dialer(expecting: peer), protocols: Self.protocols(for: kinds), now: now))
    }

    /// A listener's handshake.
    ///
    /// - Parameters:
    ///   - kinds: what the dialer may choose from.
    ///   - local: who we are.
    ///   - now: the time in seconds since 1970.
    init(
        listeningFor kinds: Set<ConnectionKind>, as local: LocalCredentials, context: TLSContext,
        now: @escaping () -> Int64
    ) throws(TransportError) {
        isDialer = false
        self.kinds = kinds
        self.local = local
        channel = TLSChannel(
            try TLSSession(context: context, role: .listener, protocols: Self.protocols(for: kinds), now: now))
    }

    private static func protocols(for kinds: Set<ConnectionKind>) -> [ApplicationProtocol] {
        (kinds.contains(.tlsYamux) ? [.encryptedYamux] : []) + (kinds.contains(.yamux) ? [.libp2p] : [])
    }

    /// What to write before anything is received; nothing at a listener.
    func start() -> Step {
        run { () throws(TransportError) -> Outcome? in
            if isDialer { try channel.session.start() }
            return nil
        }
    }

    /// Looks at what arrived.
    func receive(_ bytes: [UInt8]) -> Step {
        run { () throws(TransportError) -> Outcome? in try advance(bytes[...]) }
    }

    /// Begins a dialer's credential handshake, once ``Step/isPeerProven`` is said.
    ///
    /// - Parameter version: the protocol version to say.
    func beginCredentials(version: UInt32) -> Step {
        local.version = version
        return run { () throws(TransportError) -> Outcome? in
            guard let peer = channel.session.peer else { throw .tls(.noCertificate) }
            let handshake = CredentialDialer(to: peer, as: local)
            credentials = .dialer(handshake)
            try channel.session.write(handshake.start()[...])
            return nil
        }
    }

    /// The error for a connection that ended before the handshakes did.
    func connectionEnded() -> TransportError {
        credentials.map { .handshake($0.failure(.connectionEnded)) } ?? .tls(.endedByPeer)
    }

    /// The error for handshakes that took too long.
    func deadlineExceeded() -> TransportError {
        credentials.map { .handshake($0.failure(.deadlineExceeded)) } ?? .deadlineExceeded(.handshake)
    }

    /// After an error the output is the alert or the ack that tells the peer why.
    private func run(_ body: () throws(TransportError) -> Outcome?) -> Step {
        do throws(TransportError) {
            let outcome = try body()
            return Step(
                output: channel.session.takeOutput(), result: outcome.map { .success($0) },
                isPeerProven: isDialer && credentials == nil && channel.session.isEstablished)
        } catch {
            let isEnd = error == .tls(.endedByPeer)
            return Step(output: channel.session.takeOutput(), result: .failure(isEnd ? connectionEnded() : error))
        }
    }

    private func advance(_ bytes: ArraySlice<UInt8>) throws(TransportError) -> Outcome? {
        received += bytes.count
        guard received <= Self.maximumBytes else { throw .tls(.handshakeTooLong(limit: Self.maximumBytes)) }
        var input = bytes
        while let plaintext = try channel.receiveRecord(from: &input) {
            if !isDialer, credentials == nil, channel.session.isEstablished { try awaitCredentials() }
            guard !plaintext.isEmpty else { continue }
            if let outcome = try exchange(plaintext, rest: input) { return outcome }
        }
        return nil
    }

    private func awaitCredentials() throws(TransportError) {
        guard let peer = channel.session.peer else { throw .tls(.noCertificate) }
        // A dialer that names no protocol means the first form.
        guard channel.session.applicationProtocol != nil || kinds.contains(.yamux) else {
            throw .tls(.applicationProtocol(found: nil))
        }
        credentials = .listener(CredentialListener(from: peer, as: local))
    }

    private func exchange(_ plaintext: [UInt8], rest: ArraySlice<UInt8>) throws(TransportError) -> Outcome? {
        guard let peer = channel.session.peer else { throw .tls(.noCertificate) }
        var input = plaintext[...]
        // The dialer speaks first.
        guard let step = credentials?.receive(&input) else { throw .tls(.dataBeforeCredentials) }
        try channel.session.write(step.output[...])
        switch step.result {
        case nil: return nil
        case .failure(let failure): throw .handshake(failure)
        case .success(let result):
            guard channel.session.applicationProtocol == .encryptedYamux else {
                guard input.isEmpty else { throw .tls(.dataAfterHandshake) }
                return Outcome(peer: peer, result: result, channel: nil, early: Array(rest))
            }
            let early = Array(input) + (try channel.decrypt(rest))
            return Outcome(peer: peer, result: result, channel: channel, early: early)
        }
    }
}

/// The credential handshake of either side.
private enum CredentialHandshake {
    case dialer(CredentialDialer)
    case listener(CredentialListener)

    mutating func receive(_ input: inout ArraySlice<UInt8>) -> HandshakeStep<HandshakeResult, HandshakeFailure> {
        switch self {
        case .dialer(var handshake):
            defer { self = .dialer(handshake) }
            return handshake.receive(&input)
        case .listener(var handshake):
            defer { self = .listener(handshake) }
            return handshake.receive(&input)
        }
    }

    func failure(_ reason: HandshakeFailure.Reason) -> HandshakeFailure {
        switch self {
        case .dialer(let handshake): handshake.failure(reason)
        case .listener(let handshake): handshake.failure(reason)
        }
    }
}
