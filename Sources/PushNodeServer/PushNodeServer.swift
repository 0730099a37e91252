public import AnySyncNet
import AnySyncWire

/// A push node: takes calls of the push API on its addresses, and brings accepted notifications to phones.
///
/// ```swift
/// let spool = try SpoolForwarder(directory: "/var/lib/any-node", texts: DefaultTexts())
/// var configuration = NodeConfiguration(
///     storePath: "/var/lib/any-node/node.db", forwarders: [.ios: spool, .android: spool])
/// let listen = ListenConfiguration(identity: identity, addresses: [try Address("yamux://0.0.0.0:4430")])
/// let node = try await PushNodeServer.start(configuration, listen)
/// // …
/// await node.stop(drain: .seconds(10))
/// ```
public actor PushNodeServer {
    /// What the node is bound to, with the real ports.
    public nonisolated let addresses: [Address]
    private nonisolated let core: NodeCore
    private nonisolated let network: Network
    private let server: DRPCServer
    private let clock: any NodeClock
    private let serving: [Task<Void, Never>]
    private var stopping: Task<Void, Never>?

    private struct Network {
        let loop: EventLoop
        let endpoint: Endpoint
    }

    private init(
        _ core: NodeCore, _ network: Network, _ listeners: [any Listener], _ rpcLimits: RPCLimits,
        _ clock: any NodeClock
    ) {
        let server = DRPCServer(handler: PushRPCHandler(service: core.service), limits: rpcLimits)
        self.core = core
        self.network = network
        self.server = server
        self.clock = clock
        addresses = listeners.flatMap(\.addresses)
        serving = listeners.map { listener in Task { await server.serve(listener) } }
    }

    /// Opens the store, takes up its queue, and listens.
    ///
    /// The node runs until ``stop(drain:)``, which whoever started it must call.
    ///
    /// - Parameters:
    ///   - configuration: how it keeps and forwards notifications.
    ///   - listen: who it is and where it listens.
    /// - Throws: ``NodeError``; then nothing is left running.
    public static func start(
        _ configuration: NodeConfiguration, _ listen: ListenConfiguration
    ) async throws(NodeError) -> PushNodeServer {
        let core = try await NodeCore.start(configuration, owner: listen.identity.peerId)
        let loop: EventLoop
        do {
            loop = try EventLoop()
        } catch {
            await core.stop(drain: .zero)
            throw .cannotStart(reason: "\(error)")
        }
        do throws(NodeError) {
            let endpoint = try makeEndpoint(loop, listen) { core.report($0) }
            let listeners = try await bind(listen, endpoint)
            // What the service takes must fit a message: topics have one limit, not two.
            var rpcLimits = listen.rpcLimits
            rpcLimits.packets.maximumMessageSize = max(
                rpcLimits.packets.maximumMessageSize, configuration.serviceLimits.topicRequestBytes)
            return PushNodeServer(
                core, Network(loop: loop, endpoint: endpoint), listeners, rpcLimits, configuration.clock
            )
        } catch {
            await loop.shutdown()
            await core.stop(drain: .zero)
            throw error
        }
    }

    /// Takes no more calls, lets those under way finish, delivers what can be delivered now, and stops. What is not
    /// delivered stays in the store. May be called more than once; every call returns when the node has stopped.
    ///
    /// - Parameter drain: how long calls and deliveries together may take; then they are cancelled.
    public func stop(drain: Duration) async {
        let task = stopping ?? Task { await finish(drain) }
        stopping = task
        await task.value
    }

    private func finish(_ drain: Duration) async {
        let deadline = clock.uptime + drain
        await server.shutdown(drain: drain)
        for task in serving { await task.value }
        network.endpoint.closeConnections()
        await core.stop(drain: max(deadline - clock.uptime, .zero))
        await network.loop.shutdown()
    }

    /// What the node holds, does and has done.
    public nonisolated var status: PushNodeStatus {
        get async {
            PushNodeStatus(node: await core.status, calls: server.statistics, network: network.endpoint.counters)
        }
    }

    private static func makeEndpoint(
        _ loop: EventLoop, _ listen: ListenConfiguration, _ onEvent: @escaping @Sendable (NetEvent) -> Void
    ) throws(NodeError) -> Endpoint {
        do {
            return try Endpoint(eventLoop: loop, identity: listen.identity, limits: listen.netLimits, onEvent: onEvent)
        } catch {
            throw .cannotStart(reason: "\(error)")
        }
    }

    private static func bind(
        _ listen: ListenConfiguration, _ endpoint: Endpoint
    ) async throws(NodeError) -> [any Listener] {
        let transports: [any Transport]
        do {
            transports = try listen.transports(endpoint)
        } catch {
            throw .cannotStart(reason: "\(error)")
        }
        var listeners: [any Listener] = []
        do throws(TransportError) {
            for address in listen.addresses {
                let kind = address.kind ?? .tlsYamux
                guard let transport = transports.first(where: { $0.kinds.contains(kind) }) else {
                    throw .notSupported(kind)
                }
                listeners.append(try await transport.listen(on: address))
            }
        } catch {
            for listener in listeners { await listener.close() }
            throw .cannotListen(error)
        }
        return listeners
    }
}

/// What a push node holds, does, and has done since it started.
public struct PushNodeStatus: Sendable {
    /// The push service, the store and the deliveries.
    public var node: NodeStatus
    /// The calls.
    public var calls: DRPCStatistics
    /// The connections.
    public var network: NetCounters
}
