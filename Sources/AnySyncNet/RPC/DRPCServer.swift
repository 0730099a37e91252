internal import Locks

/// Serves unary calls on every connection of its listeners (protocol.md §7).
public final class DRPCServer: Sendable {
    let handler: any RPCHandler
    let limits: RPCLimits
    let gate: CallGate
    private let state = SystemLock(State())

    private struct State {
        var statistics = DRPCStatistics()
        var services: [ObjectIdentifier: ConnectionService] = [:]
        var listeners: [ObjectIdentifier: any Listener] = [:]
        var isShutDown = false
    }

    /// A server that answers with `handler`.
    public init(handler: any RPCHandler, limits: RPCLimits = RPCLimits()) {
        self.handler = handler
        self.limits = limits
        gate = CallGate(
            CallPlaceLimits(
                all: limits.concurrentCalls, perAccount: limits.callsPerAccount, perAddress: limits.callsPerAddress))
    }

    /// Serves the connections of a listener until the listener is closed, by ``shutdown(drain:)`` or by anyone, and its
    /// connections have ended. May run for several listeners at once.
    ///
    /// Cancelling the task stops the listener and cancels the running calls. Every handler has ended when this returns.
    public func serve(_ listener: any Listener) async {
        let isTaken = state.withLock { state in
            guard !state.isShutDown else { return false }
            state.listeners[ObjectIdentifier(listener)] = listener
            return true
        }
        if isTaken {
            await withDiscardingTaskGroup { group in
                while let connection = await listener.nextConnection() {
                    group.addTask { await self.serve(connection) }
                }
                await listener.close()
            }
        } else {
            await listener.close()
        }
        state.withLock { $0.listeners[ObjectIdentifier(listener)] = nil }
    }

    /// Serves one connection until it closes. Closes it when the task is cancelled.
    public func serve(_ connection: any Connection) async {
        let service = ConnectionService(connection, of: self)
        let isTaken = state.withLock { state in
            guard !state.isShutDown else { return false }
            state.services[ObjectIdentifier(service)] = service
            state.statistics.activeConnections += 1
            return true
        }
        guard isTaken else { return await connection.close(.shutDown) }
        await service.run()
        state.withLock { state in
            state.services[ObjectIdentifier(service)] = nil
            state.statistics.activeConnections -= 1
        }
    }

    /// Closes the listeners, takes no new calls, lets running calls finish, then closes the connections. Returns when
    /// every handler has ended.
    ///
    /// - Parameter drain: how long running calls may take; then they are cancelled.
    public func shutdown(drain: Duration) async {
        let (listeners, services) = state.withLock { state in
            state.isShutDown = true
            return (Array(state.listeners.values), Array(state.services.values))
        }
        for listener in listeners { await listener.close() }
        await withDiscardingTaskGroup { group in
            for service in services {
                group.addTask { await service.drain(within: drain) }
            }
        }
    }

    /// Counters since the start.
    public var statistics: DRPCStatistics {
        var statistics = state.withLock { $0.statistics }
        statistics.activeCalls = gate.runningCalls
        return statistics
    }

    func count(_ change: (inout DRPCStatistics) -> Void) {
        state.withLock { change(&$0.statistics) }
    }
}
