internal import AnySyncNet
internal import Locks

/// The context of sessions that begin now: it follows the endpoint's certificate.
final class QUICContextKeeper: Sendable {
    private let endpoint: Endpoint
    private let state: SystemLock<(certificate: HostCertificate, context: QUICContext)>

    init(_ endpoint: Endpoint) throws(TLSError) {
        self.endpoint = endpoint
        let certificate = endpoint.certificate
        let context = try QUICContext(certificate: certificate, peerKey: endpoint.identity.peer)
        state = SystemLock((certificate, context))
    }

    var current: QUICContext {
        let certificate = endpoint.certificate
        let known = state.withLock { $0 }
        guard certificate !== known.certificate else { return known.context }
        guard let fresh = try? QUICContext(certificate: certificate, peerKey: endpoint.identity.peer) else {
            return known.context
        }
        state.withLock { $0 = (certificate, fresh) }
        return fresh
    }
}
