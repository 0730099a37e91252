import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// Calls over QUIC through a path that loses, repeats and reorders datagrams.
@Suite(.timeLimit(.minutes(5))) struct LossyPathTests {
    private struct Echo: RPCHandler {
        func handle(_ rpc: String, request: [UInt8], caller: CallerContext) async throws -> [UInt8] { request }
    }

    private func run(
        _ faults: UDPProxy.Faults, _ body: @Sendable (DRPCClient) async throws -> Void
    ) async throws -> UDPProxy.Counts {
        let node = try TestPeer(clock: MonotonicClock())
        let dialer = try TestPeer(clock: MonotonicClock())
        let listener = try await node.listen(.quic)
        let proxy = try UDPProxy(to: listener.addresses[0].port, faults: faults)
        let server = DRPCServer(handler: Echo())
        let serving = Task { await server.serve(listener) }
        var failure: (any Error)?
        do {
            let address = Address(kind: .quic, host: "127.0.0.1", port: proxy.port)
            let dial = Dialer(dialer.endpoint, transports: dialer.transports)
            let client = DRPCClient(connection: try await dial.dial([address], peer: node.id))
            try await body(client)
            await client.close()
        } catch {
            failure = error
        }
        await dialer.loop.shutdown()
        await server.shutdown(drain: .zero)
        await serving.value
        await node.loop.shutdown()
        proxy.stop()
        if let failure { throw failure }
        return proxy.counts
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func callsSucceedWithFivePercentOfEachFault(seed: UInt64) async throws {
        let counts = try await run(UDPProxy.Faults(each: 0.05, seed: seed)) { client async throws in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for lane in 0..<4 {
                    group.addTask {
                        for number in 0..<50 {
                            let request = [UInt8](repeating: UInt8(lane), count: 1 + number * 40)
                            let answer = try await client.call("/test/Echo", request, timeout: .seconds(60))
                            guard answer == request else { return false }
                        }
                        return true
                    }
                }
                for try await isEqual in group { #expect(isEqual) }
            }
            // Many datagrams in flight at once, incompressible.
            let large = (0..<200_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) }
            #expect(try await client.answer("/test/Echo", large, timeout: .seconds(60)) == large)
        }
        #expect(counts.dropped > 0 && counts.duplicated > 0 && counts.reordered > 0)
    }

    @Test func aLostFirstDatagramIsSentAgain() async throws {
        var faults = UDPProxy.Faults()
        faults.losesFirst = true
        let counts = try await run(faults) { client async throws in
            #expect(try await client.answer("/test/Echo", [1, 2, 3], timeout: .seconds(60)) == [1, 2, 3])
        }
        #expect(counts.dropped == 1)
    }
}
