internal import AnySyncWire

extension TransportError {
    /// Under which reason an unfinished handshake that ended with this error is counted.
    package var closeReason: CloseReason {
        switch self {
        case .tls(.endedByPeer): .peerClosed
        case .tls: .tlsFailed
        case .certificate, .wrongPeer: .certificateRefused
        case .deadlineExceeded: .handshakeTimeout
        case .handshake(let failure):
            switch failure.reason {
            case .deadlineExceeded: .handshakeTimeout
            case .connectionEnded: .peerClosed
            default: .credentialsRefused
            }
        case .closed(let reason, _): reason
        case .notSupported, .encryptionRequired, .cannotResolve, .cannotConnect, .cannotListen, .noCommonVersion,
            .allAddressesFailed, .streamReset, .tooManyStreams, .cancelled:
            .local
        }
    }
}
