import Glibc
import TestSupport
import Testing

@testable import AnyServer

@Suite struct ServerStreamTests {
    private static func subscribe(_ server: TestServer, _ body: String = "{}") async throws -> RawClient {
        let client = try server.client()
        await client.send(TestServer.text("POST", "/v1/spaces/query/subscribe", body: body))
        return client
    }

    private static let change = EventFrame.changes([["versionId": "v1"]])

    @Test func aStreamBringsItsFrames() async throws {
        try await withServer { server in
            let client = try await Self.subscribe(server)
            let head = try await client.receive("event: snapshot\ndata: {\"records\":[]}\n\n")
            #expect(head.hasPrefix("HTTP/1.1 200"))
            #expect(head.contains("Content-Type: text/event-stream\r\n"))
            #expect(head.contains("Cache-Control: no-store\r\n"))
            #expect(head.contains("event: ready\ndata: {}\n\n"))
            server.api.read { $0.streams[0] }.send(Self.change)
            _ = try await client.receive("event: changes\ndata: [{\"versionId\":\"v1\"}]\n\n")
            await server.server.closeStreams(.deauthorized)
            _ = try await client.receive("event: closed\ndata: {\"reason\":\"deauthorized\"}\n\n\r\n0\r\n\r\n")
            await server.api.until { $0.endedStreams == 1 && $0.records.count == 1 }
            // The connection is as good as before.
            client.drop(try await client.receive { _, _ in true }.count)
            await client.send(TestServer.text("GET", "/v1/health"))
            #expect(try await client.response().status == 200)
        }
    }

    @Test func anOldClientGetsItsFramesUnchunked() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send("POST /v1/spaces/query/subscribe HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}")
            _ = try await client.receive("event: snapshot")
            let large = String(repeating: "x", count: 10_000)
            server.api.read { $0.streams[0] }.send(.changes([.string(large)]))
            _ = try await client.receive("event: changes\ndata: [\"\(large)\"]\n\n")
            await server.server.closeStreams(.sdkClosed)
            let text = try await client.receiveAll()
            #expect(text.hasSuffix("event: closed\ndata: {\"reason\":\"sdk_closed\"}\n\n"))
            #expect(!text.contains("Transfer-Encoding"))
        }
    }

    @Test func anErrorBeforeTheStreamIsAnEnvelope() async throws {
        try await withServer { server in
            for (body, code) in [
                (#"{"mailboxCapacity":15}"#, "request.invalid_field"),
                (#"{"driftBudgetPercent":101}"#, "request.invalid_field"),
                (#"{"mailbox":1}"#, "request.unknown_field"), ("[]", "request.bad_json"),
            ] {
                let response = try await server.request("POST", "/v1/spaces/query/subscribe", body: body)
                #expect(response.status == 400)
                #expect(response.errorCode == code)
                #expect(response.headers["Content-Type"] == "application/json; charset=utf-8")
            }
        }
    }

    @Test func aKeepaliveComesEvery25Seconds() async throws {
        let clock = VirtualClock()
        try await withServer(clock: clock) { server in
            let client = try await Self.subscribe(server)
            _ = try await client.receive("event: snapshot")
            for _ in 0..<3 {
                // The keepalives and the deadlines.
                await clock.sleepers(2)
                client.drop(try await client.receive { _, _ in true }.count)
                clock.advance(by: .seconds(24))
                clock.advance(by: .seconds(1))
                let text = try await client.receive(": keepalive\n\n")
                #expect(!text.contains("event"))
            }
        }
    }

    @Test func aClientThatLeavesEndsItsStream() async throws {
        try await withServer { server in
            for leave in [{ @Sendable (client: RawClient) in client.close() }, { $0.reset() }, { $0.halfClose() }] {
                let ended = server.api.read { $0.endedStreams }
                let client = try await Self.subscribe(server)
                _ = try await client.receive("event: snapshot")
                leave(client)
                await server.api.until { $0.endedStreams == ended + 1 }
            }
        }
    }

    @Test func aSlowReaderIsClosedAndNoOther() async throws {
        try await withServer { server in
            let slow = try await Self.subscribe(server, #"{"mailboxCapacity":16}"#)
            let other = try await Self.subscribe(server)
            _ = try await other.receive("event: snapshot")
            await server.api.until { $0.streams.count == 2 }
            let frame = EventFrame.changes([.string(String(repeating: "x", count: 100_000))])
            let streams = server.api.read { $0.streams }
            var sent = 0
            while streams[0].send(frame) || streams[1].send(frame) { sent += 1 }
            #expect(sent >= 16)
            for client in [slow, other] {
                let text = try await client.receive("event: closed\ndata: {\"reason\":\"overflow\"}\n\n")
                #expect(text.contains("event: snapshot"))
            }
            let third = try await Self.subscribe(server)
            _ = try await third.receive("event: snapshot")
            await server.api.until { $0.streams.count == 3 }
            #expect(server.api.read { $0.streams[2] }.send(Self.change))
            _ = try await third.receive("versionId")
        }
    }

    @Test func aReaderThatStallsIsCut() async throws {
        let clock = VirtualClock()
        try await withServer(clock: clock) { server in
            let client = try await Self.subscribe(server, #"{"mailboxCapacity":65536}"#)
            _ = try await client.receive("event: snapshot")
            let stream = server.api.read { $0.streams[0] }
            // More than the sockets of both sides take, so the rest waits in the mailbox.
            let frame = EventFrame.changes([.string(String(repeating: "x", count: 1 << 20))])
            while stream.send(frame) {}
            await clock.pass(.seconds(31)) { server.api.read { $0.endedStreams == 1 } }
        }
    }

    @Test func streamsNeverTakeTheLastPlace() async throws {
        var limits = HTTPLimits.patient
        limits.streams = 2
        limits.connections = 4
        try await withServer(limits: limits) { server in
            let first = try await Self.subscribe(server)
            let second = try await Self.subscribe(server)
            _ = try await first.receive("event: snapshot")
            _ = try await second.receive("event: snapshot")
            let third = try await Self.subscribe(server)
            #expect(try await third.response().errorCode == "server.unavailable")
            third.close()
            first.close()
            await server.api.until { $0.endedStreams == 2 }
            let fourth = try await Self.subscribe(server)
            _ = try await fourth.receive("event: snapshot")
        }
    }

    @Test func connectionsBeyondTheLimitWait() async throws {
        var limits = HTTPLimits.patient
        limits.streams = 1
        limits.connections = 2
        try await withServer(limits: limits) { server in
            let open = [try server.client(), try server.client()]
            for client in open {
                await client.send(TestServer.text("GET", "/v1/health"))
                #expect(try await client.response().status == 200)
            }
            let waiting = try server.client()
            await waiting.send(TestServer.text("GET", "/v1/health"))
            open[0].close()
            #expect(try await waiting.response().status == 200)
        }
    }

    @Test func aThousandSubscribersGetEveryChange() async throws {
        let count = Self.possibleSubscribers(1000)
        try await withServer { server in
            var clients: [RawClient] = []
            for _ in 0..<count {
                let client = try await Self.subscribe(server)
                clients.append(client)
            }
            await server.api.until { $0.streams.count == count }
            for client in clients { _ = try await client.receive("event: snapshot") }
            for stream in server.api.read({ $0.streams }) { stream.send(Self.change) }
            for client in clients { _ = try await client.receive("event: changes\ndata: [{\"versionId\":\"v1\"}]\n\n") }
            // Requests are served beside them.
            #expect(try await server.request("GET", "/v1/health").status == 200)
            async let stopped: Void = server.server.stop()
            for client in clients {
                let text = try await client.receiveAll()
                #expect(text.hasSuffix("event: closed\ndata: {\"reason\":\"server_shutdown\"}\n\n\r\n0\r\n\r\n"))
            }
            await stopped
            #expect(server.api.read { $0.endedStreams } == count)
        }
    }

    /// How many of `wanted` the limit of open files allows, two descriptors each.
    private static func possibleSubscribers(_ wanted: Int) -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return min(wanted, (Int(clamping: limit.rlim_max) - 200) / 2)
    }
}
