internal import AnySyncNet
internal import AnySyncWire

extension PeerClose {
    /// Why a handshake has failed that the peer closed; `nil` when that says nothing by itself.
    func error(during credentials: CredentialExchange?) -> TransportError? {
        if !isApplication, let alert = CloseCode.alert(in: code) { return .tls(.refusedByPeer(alert: alert)) }
        guard let credentials else { return nil }
        // Closing is all that arrives of a reference peer's refusal.
        let isRefusal = isApplication && code == CloseCode.handshakeFailed
        return .handshake(credentials.failure(isRefusal ? .refusedWithoutReason : .connectionEnded))
    }
}

extension QUICEnding {
    /// Why a handshake that ended so has failed.
    func error(on link: QUICLink, _ credentials: CredentialExchange?) -> TransportError {
        if let refusal = link.session.refusal { return refusal }
        switch self {
        case .closedByPeer(let close):
            return close.error(during: credentials) ?? .closed(.peerClosed, detail: detail)
        case .failed(let code):
            guard let alert = CloseCode.alert(in: code) else { return .closed(closeReason, detail: detail) }
            return .tls(Self.tlsError(alert))
        case .handshakeTimeout, .idle: return .deadlineExceeded(link.hasHeard ? .handshake : .connecting)
        case .unreachable(let code): return .cannotConnect(address: link.remoteAddress, reason: UVError.message(code))
        case .needsRetry, .dropped, .otherVersions, .memoryExceeded, .closedLocally, .loopStopped:
            return .closed(closeReason, detail: detail)
        }
    }

    private static func tlsError(_ alert: UInt8) -> TLSError {
        switch alert {
        case Alert.certificateRequired: .noCertificate
        case Alert.noApplicationProtocol: .applicationProtocol(found: nil)
        default: .failed("the handshake failed (alert \(alert))")
        }
    }

    /// RFC 8446 §6.
    private enum Alert {
        static let certificateRequired: UInt8 = 116
        static let noApplicationProtocol: UInt8 = 120
    }

    /// Under which reason a connection that ended so is counted.
    var closeReason: CloseReason {
        switch self {
        case .closedByPeer(let close): !close.isApplication && close.code != 0 ? .goAway : .peerClosed
        case .failed, .otherVersions: .protocolViolation
        case .idle: .pingTimeout
        case .handshakeTimeout: .handshakeTimeout
        case .memoryExceeded: .inputOverflow
        case .unreachable: .socketError
        case .loopStopped: .shutDown
        case .needsRetry, .dropped, .closedLocally: .local
        }
    }

    /// The same in a few words.
    var detail: String {
        switch self {
        case .closedByPeer(let close) where close.isStatelessReset: "the peer does not know the connection any more"
        case .closedByPeer(let close):
            "the peer closed it with \(close.isApplication ? "application" : "transport") code \(close.code)"
                + (close.reason.isEmpty ? "" : " (\(close.reason))")
        case .failed(let code): "the peer broke a rule of QUIC (transport code \(code))"
        case .needsRetry: "the peer must prove its address first"
        case .dropped: "the datagram begins no connection"
        case .idle: "the peer has been silent for too long"
        case .handshakeTimeout: "the handshake took too long"
        case .otherVersions: "the peer does not speak QUIC version 1"
        case .memoryExceeded: "the connection holds more memory than one may"
        case .closedLocally: ""
        case .unreachable(let code): UVError.message(code)
        case .loopStopped: "the event loop is shutting down"
        }
    }
}
