internal import AnySyncNet
internal import AnySyncWire
internal import PushCrypto

/// The way from a fresh ``QUICLink`` to an authenticated connection: TLS inside QUIC, then credentials on the dialer's
/// first stream (protocol.md §5, §6). Used on the loop's thread only.
final class QUICHandshake: QUICLinkDelegate {
    enum Role {
        /// The closure is called once the peer's certificate is proven; ``beginCredentials(version:)`` comes next.
        case dialer(proven: () -> Void)
        case listener
    }

    /// What both handshakes have established.
    struct Outcome {
        let peer: PeerId
        let identity: PublicKey
        let result: HandshakeResult
        /// What has happened to further streams meanwhile.
        let early: [QUICEvent]
    }

    let link: QUICLink
    private let role: Role
    private let endpoint: Endpoint
    private let linger: Duration
    private var credentials: CredentialExchange?
    private var stream: Int64?
    private var early: [QUICEvent] = []
    private var failure: TransportError?
    /// Whether it ended because the dialer must prove its address first.
    private(set) var needsRetry = false
    private var timer: LoopTimer?
    private var completion: ((Result<Outcome, TransportError>) -> Void)?

    /// - Parameters:
    ///   - linger: how long a dialer that was refused may take to close.
    ///   - completion: gets the outcome once; on success the link is the taker's, on failure it is over.
    init(
        _ link: QUICLink, as role: Role, endpoint: Endpoint, linger: Duration,
        _ completion: @escaping (Result<Outcome, TransportError>) -> Void
    ) {
        self.link = link
        self.role = role
        self.endpoint = endpoint
        self.linger = linger
        self.completion = completion
        link.delegate = self
    }

    /// Begins; to be called once.
    func start() {
        if case .dialer = role {
            setTimer(endpoint.limits.connectTimeout) { [weak self] in
                self?.connectTimedOut()
            }
            link.flush()
        } else {
            setTimer(endpoint.limits.handshakeTimeout) { [weak self] in self?.timedOut() }
        }
    }

    /// Ends the handshake with an error of the caller's.
    func cancel(_ error: TransportError) {
        refuse(error, code: CloseCode.dialFailed)
    }

    private func setTimer(_ delay: Duration, _ action: @escaping () -> Void) {
        timer?.cancel()
        timer = link.loop.schedule(after: delay, action)
    }

    private func connectTimedOut() {
        guard link.hasHeard else { return refuse(.deadlineExceeded(.connecting), code: CloseCode.dialFailed) }
        setTimer(endpoint.limits.handshakeTimeout) { [weak self] in self?.timedOut() }
    }

    private func timedOut() {
        let error = credentials.map { TransportError.handshake($0.failure(.deadlineExceeded)) }
        refuse(error ?? .deadlineExceeded(.handshake), code: CloseCode.handshakeFailed)
    }

    /// Closes the link, with `error` as the reason unless there was one before.
    private func refuse(_ error: TransportError, code: UInt64) {
        failure = failure ?? error
        link.close(code: code)
    }

    // MARK: What happens on the link

    func link(_ link: QUICLink, happened event: QUICEvent) {
        switch event {
        case .handshakeCompleted: peerProven()
        case .streamOpened(let id) where stream == nil && !isDialer: stream = id
        case .data(let id, let bytes, let isLast) where id == stream: received(bytes, isLast)
        case .streamReset(let id, _) where id == stream, .streamClosed(let id) where id == stream,
            .writingStopped(let id) where id == stream:
            // The dialer is about to close, which says more.
            break
        default:
            // An honest peer waits for the handshake; flow control bounds bytes and streams, but not resets.
            guard early.count < Self.earlyEvents else {
                return refuse(
                    .closed(.protocolViolation, detail: "too much came before the handshake was done"),
                    code: CloseCode.handshakeFailed)
            }
            early.append(event)
        }
    }

    private static let earlyEvents = 1024

    func linkMoved(_ link: QUICLink) {}

    func link(_ link: QUICLink, ended ending: QUICEnding) {
        if case .needsRetry = ending { needsRetry = true }
        complete(.failure(failure ?? ending.error(on: link, credentials)))
    }

    private var isDialer: Bool {
        if case .dialer = role { true } else { false }
    }

    private func peerProven() {
        guard let peer = link.session.peer else { return refuse(.tls(.noCertificate), code: CloseCode.dialFailed) }
        guard link.session.hasApplicationProtocol else {
            return refuse(.tls(.applicationProtocol(found: nil)), code: CloseCode.dialFailed)
        }
        switch role {
        case .listener:
            let local = endpoint.identity.credentials(version: endpoint.identity.version)
            credentials = .listener(CredentialListener(from: peer, as: local))
            link.releaseTLS()
        case .dialer(let proven): proven()
        }
    }

    /// Begins a dialer's credential handshake.
    ///
    /// - Parameter version: the protocol version to say.
    func beginCredentials(version: UInt32) {
        guard completion != nil, let peer = link.session.peer else { return }
        guard let stream = link.session.openStream() else {
            return refuse(.tooManyStreams, code: CloseCode.dialFailed)
        }
        let handshake = CredentialDialer(to: peer, as: endpoint.identity.credentials(version: version))
        self.stream = stream
        credentials = .dialer(handshake)
        link.session.send(handshake.start()[...], on: stream)
        link.setNeedsFlush()
    }

    private func received(_ bytes: [UInt8], _ isLast: Bool) {
        guard let stream, let peer = link.session.peer else { return }
        link.session.consumed(bytes.count, on: stream)
        guard failure == nil, var exchange = credentials else { return }
        var input = bytes[...]
        let step = exchange.receive(&input)
        credentials = exchange
        if !step.output.isEmpty { link.session.send(step.output[...], on: stream) }
        switch step.result {
        case nil:
            guard isLast else { return }
            refuse(.handshake(exchange.failure(.connectionEnded)), code: CloseCode.handshakeFailed)
        case .failure(let reason):
            refused(reason, said: !step.output.isEmpty)
        case .success(let result):
            link.session.finish(stream)
            guard let identity = result.identity else {
                return refuse(.handshake(exchange.failure(.connectionEnded)), code: CloseCode.handshakeFailed)
            }
            link.setNeedsFlush()
            complete(.success(Outcome(peer: peer, identity: identity, result: result, early: early)))
        }
    }

    /// Ends a failed credential handshake. A close overtakes what was written before it, and the reason would be lost:
    /// so a listener that has said one leaves the closing to the dialer, for a while.
    private func refused(_ reason: HandshakeFailure, said: Bool) {
        failure = .handshake(reason)
        guard !isDialer, said, let stream else { return link.close(code: CloseCode.handshakeFailed) }
        link.session.finish(stream)
        link.setNeedsFlush()
        setTimer(linger) { [weak self] in self?.link.close(code: CloseCode.handshakeFailed) }
    }

    private func complete(_ result: Result<Outcome, TransportError>) {
        guard let completion else { return }
        self.completion = nil
        timer?.cancel()
        timer = nil
        link.delegate = nil
        completion(result)
    }
}

/// The credential handshake of either side.
enum CredentialExchange {
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
