import AnySyncNet
import PushCrypto

/// An endpoint with an event loop of its own, and the ways to reach peers from it.
struct PushNetwork: Sendable {
    let endpoint: Endpoint
    let transports: [any Transport]

    var eventLoop: EventLoop { endpoint.eventLoop }

    /// Starts the loop's thread, which runs until ``shutdown()``.
    ///
    /// - Throws: ``PushAccountError/cannotStart(reason:)``; nothing is left running.
    static func start(_ options: PushOptions) async throws(PushAccountError) -> PushNetwork {
        let eventLoop: EventLoop
        do { eventLoop = try EventLoop() } catch { throw .cannotStart(reason: PushEvent.text(of: error)) }
        do {
            return try PushNetwork(options, device: options.device, on: eventLoop, limits: NetLimits())
        } catch {
            await eventLoop.shutdown()
            throw .cannotStart(reason: PushEvent.text(of: error))
        }
    }

    /// An endpoint on a loop that is somebody else's.
    ///
    /// - Parameter device: the peer key to appear under.
    init(_ options: PushOptions, device: SigningKey, on eventLoop: EventLoop, limits: NetLimits) throws {
        let identity = LocalIdentity(account: options.account, peer: device)
        endpoint = try Endpoint(
            eventLoop: eventLoop, identity: identity, limits: limits, unixTime: options.unixTime
        )
        transports = try options.transports(endpoint)
    }

    /// Closes everything and ends the loop's thread.
    func shutdown() async {
        endpoint.closeConnections()
        await eventLoop.shutdown()
    }
}
