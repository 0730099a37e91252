import Locks
import TestSupport
import Testing

@testable import AnyServer

@Suite struct ServerShutdownTests {
    @Test func aRequestUnderWayIsAnsweredBeforeStreamsAreClosed() async throws {
        try await withServer { server in
            let stream = try server.client()
            await stream.send(TestServer.text("POST", "/v1/spaces/query/subscribe", body: "{}"))
            _ = try await stream.receive("event: snapshot")
            let idle = try server.client()
            await idle.send(TestServer.text("GET", "/v1/health"))
            _ = try await idle.response()
            let waiting = try server.client()
            await waiting.send(TestServer.text("POST", "/v1/wait"))
            await server.api.until { $0.waits.count == 1 && $0.records.count == 1 }

            async let stopped: Void = server.server.stop(grace: .seconds(60))
            #expect(try await idle.receiveAll() == "")
            // Listening has ended before the idle connection did.
            #expect(throws: RawClient.Failure.self) { try server.client() }
            #expect(server.api.read { $0.streams[0].isOpen })
            server.api.read { $0.streams[0] }.send(.changes([]))
            server.api.releaseWaits()
            let answer = try await waiting.response()
            #expect(answer.status == 204)
            #expect(answer.headers["Connection"] == "close")
            #expect(try await waiting.receiveAll() == "")
            let rest = try await stream.receiveAll()
            #expect(rest.contains("event: changes"))
            #expect(rest.hasSuffix("event: closed\ndata: {\"reason\":\"server_shutdown\"}\n\n\r\n0\r\n\r\n"))
            await stopped
        }
    }

    @Test func aRequestThatOutlivesTheGraceIsCancelled() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(TestServer.text("POST", "/v1/wait"))
            await server.api.until { $0.waits.count == 1 }
            await server.server.stop(grace: .zero)
            #expect(server.api.read { $0.cancelledWaits } == 1)
            #expect(try await client.receiveAll() == "")
        }
    }

    @Test func aRequestThatIsNotReadYetIsRefused() async throws {
        try await withServer { server in
            let busy = try server.client()
            await busy.send(TestServer.text("POST", "/v1/wait"))
            await server.api.until { $0.waits.count == 1 }
            let reading = try server.client()
            await reading.send(TestServer.text("POST", "/v1/echo", headers: ["Content-Length: 2"]) + "{")
            #expect(try await server.request("GET", "/v1/health").status == 200)
            async let stopped: Void = server.server.stop(grace: .seconds(60))
            // This one had begun, so it is finished.
            await reading.send("}")
            #expect(try await reading.response().text == "{}")
            server.api.releaseWaits()
            _ = try await busy.response()
            await stopped
        }
    }

    @Test func aReaderThatStallsDoesNotHoldTheStop() async throws {
        let clock = VirtualClock()
        try await withServer(clock: clock) { server in
            let client = try server.client()
            await client.send(
                TestServer.text("POST", "/v1/spaces/query/subscribe", body: #"{"mailboxCapacity":65536}"#))
            _ = try await client.receive("event: snapshot")
            let stream = server.api.read { $0.streams[0] }
            for _ in 0..<3 { stream.send(.changes([.string(String(repeating: "x", count: 1 << 20))])) }
            let isStopped = SystemLock(false)
            async let stopped: Void = {
                await server.server.stop(grace: .seconds(1))
                isStopped.withLock { $0 = true }
            }()
            // In steps, for each wait of the stop begins when the one before it is over.
            await clock.pass(.seconds(1)) { isStopped.withLock { $0 } }
            await stopped
        }
    }

    @Test func everyStopReturnsWhenAllIsDone() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(TestServer.text("POST", "/v1/spaces/query/subscribe", body: "{}"))
            _ = try await client.receive("event: snapshot")
            async let first: Void = server.server.stop()
            async let second: Void = server.server.stop()
            _ = await (first, second)
            #expect(server.api.read { $0.endedStreams } == 1)
            await server.server.stop()
            await server.server.closeStreams(.deauthorized)
        }
    }
}
