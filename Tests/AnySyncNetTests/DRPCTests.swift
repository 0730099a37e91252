import AnySyncWire
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

@Suite(.timeLimit(.minutes(5))) struct DRPCTests {
    /// Answers by the rpc's name.
    final class TestHandler: RPCHandler {
        let cancelled = SystemLock(0)
        let callers = SystemLock<[CallerContext]>([])
        let running = SystemLock(0)
        let peak = SystemLock(0)
        let release = HandlerGate()

        func handle(_ rpc: String, request: [UInt8], caller: CallerContext) async throws -> [UInt8] {
            switch rpc {
            case "/test/Echo":
                return request
            case "/test/Who":
                callers.withLock { $0.append(caller) }
                return []
            case "/test/Fail":
                throw RPCError(code: 1204, text: "no valid topics")
            case "/test/Break":
                throw TestFailure("secret detail")
            case "/test/Wait":
                let now = running.withLock { running in
                    running += 1
                    return running
                }
                peak.withLock { $0 = max($0, now) }
                defer { running.withLock { $0 -= 1 } }
                await withTaskCancellationHandler {
                    await release.wait()
                } onCancel: {
                    cancelled.withLock { $0 += 1 }
                    release.open()
                }
                return [1]
            default:
                throw RPCError(code: 0, text: "unknown rpc")
            }
        }
    }

    /// Holds callers until it is opened.
    final class HandlerGate: Sendable {
        private struct State {
            var isOpen = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }
        private let state = SystemLock(State())

        func wait() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    struct Setup {
        let handler: TestHandler
        let server: DRPCServer
        let client: DRPCClient
        let connection: any Connection
        let dialer: TestPeer
        let node: TestPeer
        let listener: any Listener
    }

    static func run(
        kind: ConnectionKind = .yamux, clientLimits: RPCLimits = RPCLimits(), serverLimits: RPCLimits = RPCLimits(),
        clientClock: (any LoopClock)? = nil, nodeClock: (any LoopClock)? = nil,
        _ body: (Setup) async throws -> Void
    ) async throws {
        let node = try TestPeer(clock: nodeClock ?? kind.clock)
        let dialer = try TestPeer(clock: clientClock ?? kind.clock)
        let handler = TestHandler()
        let server = DRPCServer(handler: handler, limits: serverLimits)
        let listener = try await node.listen(kind)
        let serving = Task { await server.serve(listener) }
        let connection = try await dialer.dial(listener, of: node, kind: kind)
        let client = DRPCClient(connection: connection, limits: clientLimits)
        var failure: (any Error)?
        do {
            try await body(
                Setup(
                    handler: handler, server: server, client: client, connection: connection, dialer: dialer,
                    node: node,
                    listener: listener))
        } catch {
            failure = error
        }
        handler.release.open()
        await client.close()
        await server.shutdown(drain: .seconds(5))
        await serving.value
        await dialer.loop.shutdown()
        await node.loop.shutdown()
        #expect(server.statistics.activeCalls == 0)
        #expect(server.statistics.activeStreams == 0)
        #expect(server.statistics.activeConnections == 0)
        if let failure { throw failure }
    }

    @Test(arguments: ConnectionKind.tested)
    func callsAreAnswered(kind: ConnectionKind) async throws {
        try await Self.run(kind: kind) { setup async throws in
            for size in [0, 1, 100, 70_000, 1 << 20] {
                let request = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) }
                #expect(try await setup.client.answer("/test/Echo", request, timeout: .seconds(30)) == request)
            }
            #expect(setup.server.statistics.succeeded == 5)
            #expect(await setup.connection.status.openStreams == 1)
        }
    }

    @Test func theHandlerKnowsTheCaller() async throws {
        try await Self.run(kind: .tlsYamux) { setup async throws in
            _ = try await setup.client.call("/test/Who", [], timeout: .seconds(30))
            let address = AddressGroup(try #require(SocketAddress(ip: "127.0.0.1", port: 1)))
            let expected = CallerContext(
                peerId: setup.dialer.id, identity: setup.dialer.endpoint.identity.account.publicKey, version: 13,
                kind: .tlsYamux, address: address)
            #expect(setup.handler.callers.withLock { $0 } == [expected])
        }
    }

    @Test func errorsGoBackAsTheyAreAndInternalsDoNot() async throws {
        try await Self.run { setup async throws in
            let client = setup.client
            await #expect(throws: CallError.rpc(RPCError(code: 1204, text: "no valid topics"))) {
                try await client.call("/test/Fail", [], timeout: .seconds(30))
            }
            await #expect(throws: CallError.rpc(RPCError(code: 0, text: "internal error"))) {
                try await client.call("/test/Break", [], timeout: .seconds(30))
            }
            // The stream is used again.
            #expect(try await client.answer("/test/Echo", [7], timeout: .seconds(30)) == [7])
            #expect(await setup.connection.status.openStreams == 1)
            #expect(setup.server.statistics.failed == [1204: 1])
            #expect(setup.server.statistics.unexpected == 1)
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func manyCallsShareFewStreams(kind: ConnectionKind) async throws {
        try await Self.run(kind: kind) { setup async throws in
            let client = setup.client
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<500 {
                    group.addTask {
                        let request = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: index)
                        return try await client.call("/test/Echo", request, timeout: .seconds(60)) == request
                    }
                }
                for try await isEqual in group { #expect(isEqual) }
            }
            #expect(await setup.connection.status.openStreams <= 10)
            #expect(setup.server.statistics.succeeded == 500)
        }
    }

    @Test func cancellingACallCancelsItsHandlerOnly() async throws {
        try await Self.run { setup async throws in
            let client = setup.client
            let calling = Task { try await client.call("/test/Wait", [], timeout: .seconds(60)) }
            await eventually { setup.handler.running.withLock { $0 } > 0 }
            #expect(try await client.answer("/test/Echo", [1], timeout: .seconds(30)) == [1])
            calling.cancel()
            await #expect(throws: CallError.cancelled) { try await calling.value }
            await eventually { setup.handler.cancelled.withLock { $0 } > 0 }
            #expect(try await client.answer("/test/Echo", [2], timeout: .seconds(30)) == [2])
        }
    }

    @Test func deadlinesCloseTheStreamAndCancelTheHandler() async throws {
        let clock = ManualClock()
        try await Self.run(clientClock: clock) { setup async throws in
            let client = setup.client
            let calling = Task { try await client.call("/test/Wait", [], timeout: .seconds(5)) }
            await eventually { setup.handler.running.withLock { $0 } > 0 }
            await clock.advance(by: .milliseconds(4999), on: setup.dialer.loop)
            #expect(setup.handler.cancelled.withLock { $0 } == 0)
            await clock.advance(by: .milliseconds(1), on: setup.dialer.loop)
            await #expect(throws: CallError.deadlineExceeded) { try await calling.value }
            await eventually { setup.handler.cancelled.withLock { $0 } > 0 }
            #expect(try await client.answer("/test/Echo", [2], timeout: .seconds(5)) == [2])
        }
    }

    @Test func waitingForAStreamCountsAgainstTheDeadline() async throws {
        let clock = ManualClock()
        var limits = RPCLimits()
        limits.clientStreams = 1
        try await Self.run(clientLimits: limits, clientClock: clock) { setup async throws in
            let client = setup.client
            let first = Task { try await client.call("/test/Wait", [], timeout: .seconds(100)) }
            await eventually { setup.handler.running.withLock { $0 } > 0 }
            let second = Task { try await client.call("/test/Echo", [], timeout: .seconds(5)) }
            let third = Task { try await client.call("/test/Echo", [3], timeout: .seconds(50)) }
            // Both wait for the one stream once the loop has three timers.
            await eventually { await setup.dialer.loop.nextDeadline() == .zero.advanced(by: .seconds(5)) }
            await clock.advance(by: .seconds(6), on: setup.dialer.loop)
            await #expect(throws: CallError.deadlineExceeded) { try await second.value }
            setup.handler.release.open()
            #expect(try await first.value == [1])
            #expect(try await third.value == [3])
        }
    }

    @Test func closingTheConnectionFailsCallsAndCancelsHandlers() async throws {
        try await Self.run { setup async throws in
            let client = setup.client
            let calling = Task { try await client.call("/test/Wait", [], timeout: .seconds(60)) }
            await eventually { setup.handler.running.withLock { $0 } > 0 }
            await setup.connection.close(.local)
            await #expect(throws: CallError.transport(.closed(.local, detail: ""))) { try await calling.value }
            await eventually { setup.handler.cancelled.withLock { $0 } > 0 }
            await eventually { setup.server.statistics.activeConnections == 0 }
        }
    }

    @Test func aClosedClientFailsItsCalls() async throws {
        try await Self.run { setup async throws in
            let client = setup.client
            let calling = Task { try await client.call("/test/Wait", [], timeout: .seconds(60)) }
            await eventually { setup.handler.running.withLock { $0 } > 0 }
            await client.close()
            await #expect(throws: CallError.self) { try await calling.value }
            await #expect(throws: CallError.self) { try await client.call("/test/Echo", [], timeout: .seconds(1)) }
        }
    }

    @Test func concurrentCallsAreLimited() async throws {
        var limits = RPCLimits()
        limits.concurrentCalls = 2
        try await Self.run(serverLimits: limits) { setup async throws in
            let client = setup.client
            let calls = (0..<6).map { _ in Task { try await client.call("/test/Wait", [], timeout: .seconds(60)) } }
            await eventually { setup.handler.running.withLock { $0 } >= 2 }
            for _ in 0..<100 { await Task.yield() }
            setup.handler.release.open()
            for call in calls { #expect(try await call.value == [1]) }
            #expect(setup.handler.peak.withLock { $0 } <= 2)
        }
    }

    @Test func shutdownLetsRunningCallsFinish() async throws {
        try await Self.run { setup async throws in
            let client = setup.client
            let calling = Task { try await client.call("/test/Wait", [], timeout: .seconds(60)) }
            await eventually { setup.handler.running.withLock { $0 } > 0 }
            let stopping = Task { await setup.server.shutdown(drain: .seconds(60)) }
            // The listener is closed first.
            #expect(await setup.listener.nextConnection() == nil)
            setup.handler.release.open()
            #expect(try await calling.value == [1])
            await stopping.value
            #expect(await setup.connection.waitUntilClosed() != nil)
            #expect(setup.handler.cancelled.withLock { $0 } == 0)
        }
    }

    @Test func shutdownCancelsWhatTakesTooLong() async throws {
        let clock = ManualClock()
        try await Self.run(nodeClock: clock) { setup async throws in
            let client = setup.client
            let calling = Task { try await client.call("/test/Wait", [], timeout: .seconds(60)) }
            await eventually { setup.handler.running.withLock { $0 } > 0 }
            let stopping = Task { await setup.server.shutdown(drain: .seconds(3)) }
            await eventually { await setup.node.loop.nextDeadline() == .zero.advanced(by: .seconds(3)) }
            await clock.advance(by: .seconds(3), on: setup.node.loop)
            await stopping.value
            await #expect(throws: CallError.self) { try await calling.value }
            #expect(setup.handler.cancelled.withLock { $0 } == 1)
        }
    }

    @Test func requestsOverTheLimitAreRefused() async throws {
        try await Self.run { setup async throws in
            let client = setup.client
            let limit = DRPCLimits().maximumMessageSize
            let request = [UInt8](repeating: 0, count: limit + 1)
            await #expect(throws: CallError.requestTooLarge(limit: limit, found: limit + 1)) {
                try await client.call("/test/Echo", request, timeout: .seconds(1))
            }
        }
    }

    @Test func unusedStreamsAreClosedButOne() async throws {
        let clock = ManualClock()
        try await Self.run(clientClock: clock) { setup async throws in
            let client = setup.client
            let calls = (0..<5).map { _ in Task { try await client.call("/test/Wait", [], timeout: .seconds(60)) } }
            await eventually { setup.handler.running.withLock { $0 } >= 5 }
            setup.handler.release.open()
            for call in calls { _ = try await call.value }
            #expect(await setup.connection.status.openStreams == 5)
            await clock.advance(by: .seconds(29), on: setup.dialer.loop)
            #expect(await setup.connection.status.openStreams == 5)
            await clock.advance(by: .seconds(1), on: setup.dialer.loop)
            await eventually { await setup.connection.status.openStreams <= 1 }
            #expect(try await client.answer("/test/Echo", [2], timeout: .seconds(5)) == [2])
            #expect(await setup.connection.status.openStreams == 1)
        }
    }
}

extension DRPCClient {
    /// ``call(_:_:timeout:)`` with untyped errors, which `#expect` can take inside a closure.
    func answer(_ rpc: String, _ request: [UInt8], timeout: Duration) async throws -> [UInt8] {
        try await call(rpc, request, timeout: timeout)
    }
}
