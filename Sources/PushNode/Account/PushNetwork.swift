import AnySyncNet
import AnySyncWire
import Locks
import PushCrypto

/// An endpoint with an event loop of its own, and the ways to reach peers from it.
struct PushNetwork: Sendable {
    let endpoint: Endpoint
    let transports: [any Transport]

    var eventLoop: EventLoop { endpoint.eventLoop }

    /// Starts the loop's thread, which runs until ``shutdown()``.
    ///
    /// - Throws: ``PushAccountError/cannotStart(reason:)``; nothing is left running.
    static func start(
        _ options: PushOptions, onEvent: @escaping PushEventHandler = { _ in }
    ) async throws(PushAccountError) -> PushNetwork {
        let eventLoop: EventLoop
        do { eventLoop = try EventLoop() } catch { throw .cannotStart(reason: PushEvent.text(of: error)) }
        do {
            return try PushNetwork(
                options, device: options.device, on: eventLoop, limits: NetLimits(), onEvent: onEvent)
        } catch {
            await eventLoop.shutdown()
            throw .cannotStart(reason: PushEvent.text(of: error))
        }
    }

    /// An endpoint on a loop that is somebody else's.
    ///
    /// - Parameter device: the peer key to appear under.
    init(
        _ options: PushOptions, device: SigningKey, on eventLoop: EventLoop, limits: NetLimits,
        onEvent: @escaping PushEventHandler = { _ in }
    ) throws {
        var identity = LocalIdentity(account: options.account, peer: device)
        identity.use(options.versions)
        endpoint = try Endpoint(
            eventLoop: eventLoop, identity: identity, limits: limits, unixTime: options.unixTime,
            onEvent: Self.refusals(onEvent)
        )
        transports = try options.transports(endpoint)
    }

    /// Passes on why the node refuses handshakes, each answer once.
    private static func refusals(_ onEvent: @escaping PushEventHandler) -> @Sendable (NetEvent) -> Void {
        let said = SystemLock<Set<HandshakeFailure>>([])
        return { event in
            guard case .handshakeRefused(let failure, _) = event else { return }
            let isNew = said.withLock { said in
                // One node gives a few answers; one that makes up many is not remembered for ever.
                said.count < Self.answersRemembered && said.insert(failure).inserted
            }
            if isNew { onEvent(.handshakeRefused(failure)) }
        }
    }

    private static let answersRemembered = 32

    /// Closes everything and ends the loop's thread.
    func shutdown() async {
        endpoint.closeConnections()
        await eventLoop.shutdown()
    }
}
