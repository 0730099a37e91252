internal import AnySyncWire

/// Runs a ``SecureHandshake`` on a socket, within its deadline. Used on the loop's thread only.
final class SocketHandshake: TCPSocketDelegate {
    private let socket: TCPSocket
    private let handshake: SecureHandshake
    private let turn: DialTurn?
    private var timer: LoopTimer?
    /// Called once something of the peer has arrived.
    var onHeard: (() -> Void)?
    private var completion: ((Result<SecureHandshake.Outcome, TransportError>) -> Void)?

    /// - Parameters:
    ///   - turn: a dialer's turn to exchange credentials.
    ///   - completion: gets the outcome once; on success the socket is the taker's, on failure it is closed.
    init(
        _ handshake: SecureHandshake, on socket: TCPSocket, timeout: Duration, turn: DialTurn? = nil,
        _ completion: @escaping (Result<SecureHandshake.Outcome, TransportError>) -> Void
    ) {
        self.socket = socket
        self.handshake = handshake
        self.turn = turn
        self.completion = completion
        timer = socket.loop.schedule(after: timeout) { [weak self] in
            guard let self else { return }
            finish(.failure(self.handshake.deadlineExceeded()), .abort)
        }
        socket.delegate = self
    }

    /// Begins; to be called once.
    func start() {
        act(on: handshake.start())
        guard completion != nil else { return }
        socket.startReading()
    }

    /// Ends the handshake with an error of the caller's.
    func cancel(_ error: TransportError) {
        finish(.failure(error), .abort)
    }

    func socket(_ socket: TCPSocket, received bytes: [UInt8]) {
        onHeard?()
        onHeard = nil
        act(on: handshake.receive(bytes))
    }

    func socket(_ socket: TCPSocket, ended end: TCPSocket.End) {
        switch end {
        case .endOfStream: finish(.failure(handshake.connectionEnded()), .now)
        case .failed: finish(.failure(.closed(.socketError, detail: end.text)), .now)
        case .loopStopped: finish(.failure(.closed(.shutDown, detail: end.text)), .now)
        }
    }

    func socketDrained(_ socket: TCPSocket) {}

    private func act(on step: SecureHandshake.Step) {
        guard !step.isPeerProven else { return takeTurn(after: step.output) }
        // A handshake fits into the kernel's buffer; a peer that makes it not fit does not get a second buffer here.
        socket.write(step.output)
        guard let result = step.result else { return }
        finish(result, .now)
    }

    /// Goes on with the credentials; what TLS had to say leaves together with them if the turn is free.
    private func takeTurn(after output: [UInt8]) {
        var output = output
        var isWaiting = false
        turn?.begin { [weak self] version in
            guard let self, completion != nil else { return }
            switch version {
            case .failure(let error): finish(.failure(error), .abort)
            case .success(let version):
                var step = handshake.beginCredentials(version: version)
                if !isWaiting { step.output = output + step.output }
                output = []
                act(on: step)
            }
        }
        isWaiting = true
        socket.write(output)
    }

    private func finish(_ result: Result<SecureHandshake.Outcome, TransportError>, _ closing: TCPSocket.Closing) {
        guard let completion else { return }
        self.completion = nil
        timer?.cancel()
        timer = nil
        socket.delegate = nil
        switch result {
        case .failure: socket.close(closing)
        // What comes now is for the taker, who may only come later in this turn.
        case .success: socket.stopReading()
        }
        completion(result)
    }
}
