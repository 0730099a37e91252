import AnySyncNet
import AnySyncWire
import PushCrypto
import Testing

@testable import AnySyncQUIC

/// Calls over QUIC, by the client and the server that every transport has.
@Suite(.timeLimit(.minutes(5))) struct QUICCallTests {
    private struct Echo: RPCHandler {
        func handle(_ rpc: String, request: [UInt8], caller: CallerContext) async throws -> [UInt8] {
            if rpc == "/hang" { try await Task.sleep(for: .seconds(3600)) }
            guard rpc == "/echo" else { throw RPCError(code: 12, text: "unknown rpc") }
            return request
        }
    }

    @Test func aCallThatIsGivenUpEndsOnlyItsStream() async throws {
        let (node, caller) = (try QUICPeer(), try QUICPeer())
        let listener = try await node.listen()
        let server = DRPCServer(handler: Echo())
        let serving = Task { await server.serve(listener) }
        let connection = try await caller.dial(listener, of: node)
        let client = DRPCClient(connection: connection)
        // More often than the listener grants streams at once.
        for _ in 0..<300 {
            await #expect(throws: CallError.deadlineExceeded) {
                _ = try await client.call("/hang", [1], timeout: .milliseconds(1))
            }
            #expect(try await client.call("/echo", [2], timeout: .seconds(60)) == [2])
        }
        await client.close()
        await server.shutdown(drain: .seconds(1))
        await serving.value
        await caller.loop.shutdown()
        await node.loop.shutdown()
    }
}
