import TestSupport
import Testing

@testable import AnyServer

/// Clients that are slow, stall or stay for ever. All on virtual time: nothing here waits for a real second.
@Suite struct ServerDeadlineTests {
    @Test(arguments: ["", "GET /v1/he", "GET /v1/health HTTP/1.1\r\nHost: local"])
    func aStalledHeadIsCut(text: String) async throws {
        let clock = VirtualClock()
        try await withServer(clock: clock) { server in
            let client = try server.client()
            await client.send(text)
            // The client is known before time goes by once a later request is answered, for one thread takes both.
            #expect(try await server.request("GET", "/v1/health").status == 200)
            await clock.sleepers(1)
            clock.advance(by: .seconds(29))
            #expect(try await server.request("GET", "/v1/health").status == 200)
            clock.advance(by: .seconds(2))
            #expect(try await client.receiveAll() == "")
        }
    }

    @Test(arguments: [
        "POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
        "POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
        "POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n",
    ])
    func aStalledUploadIsToldSo(text: String) async throws {
        let clock = VirtualClock()
        try await withServer(clock: clock) { server in
            let client = try server.client()
            await client.send(text)
            #expect(try await server.request("GET", "/v1/health").status == 200)
            await clock.sleepers(1)
            clock.advance(by: .seconds(29))
            #expect(try await server.request("GET", "/v1/health").status == 200)
            clock.advance(by: .seconds(2))
            let response = try await client.response()
            #expect(response.status == 408 && response.errorCode == "request.timeout")
            #expect(response.headers["Connection"]?.lowercased() == "close")
            #expect(try await client.receiveAll() == "")
            await server.api.until { $0.records.contains { $0.status == 408 } }
        }
    }

    @Test func dribblingDoesNotBuyTime() async throws {
        let clock = VirtualClock()
        try await withServer(clock: clock) { server in
            let client = try server.client()
            await client.send("POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n")
            // Both requests' heads are in once the second is answered, for one thread reads both.
            #expect(try await server.request("GET", "/v1/health").status == 200)
            for _ in 0..<31 {
                await clock.sleepers(1)
                clock.advance(by: .seconds(1))
                await client.send(" ")
            }
            #expect(try await client.response().status == 408)
        }
    }

    @Test func anIdleConnectionIsCut() async throws {
        let clock = VirtualClock()
        try await withServer(clock: clock) { server in
            let client = try server.client()
            await client.send(TestServer.text("GET", "/v1/health"))
            _ = try await client.response()
            await server.api.until { $0.records.count == 1 }
            for _ in 0..<2 {
                await clock.sleepers(1)
                clock.advance(by: .seconds(40))
                await client.send("")
            }
            await clock.sleepers(1)
            clock.advance(by: .seconds(11))
            #expect(try await client.receiveAll() == "")
        }
    }

    @Test func aHandlerThatTakesTooLongIsCancelled() async throws {
        let clock = VirtualClock()
        try await withServer(clock: clock) { server in
            let client = try server.client()
            await client.send(TestServer.text("POST", "/v1/wait"))
            await server.api.until { $0.waits.count == 1 }
            await clock.sleepers(1)
            clock.advance(by: .seconds(30))
            await clock.sleepers(1)
            clock.advance(by: .seconds(30))
            let response = try await client.response()
            #expect(response.status == 503)
            #expect(response.errorCode == "server.unavailable")
            await server.api.until { $0.cancelledWaits == 1 }
            // The connection serves on.
            await client.send(TestServer.text("GET", "/v1/health"))
            #expect(try await client.response().status == 200)
        }
    }

    @Test func aClientThatDoesNotReadItsAnswerIsCut() async throws {
        let clock = VirtualClock()
        try await withServer(clock: clock) { server in
            let client = try RawClient(server.server.address, receiveBuffer: 4096)
            await client.send(TestServer.text("GET", "/v1/huge"))
            // Once the head is there the rest is on its way, and the handler's time no longer counts.
            _ = try await client.receive("HTTP/1.1 200")
            await clock.pass(.seconds(31)) { server.api.read { $0.records.contains { !$0.isComplete } } }
        }
    }

    /// Without any time passing: what nobody reads is bounded in all.
    @Test func theLargestOfTooManyUnreadAnswersIsCut() async throws {
        var limits = HTTPLimits()
        limits.responseBytes = 1
        try await withServer(limits: limits, clock: VirtualClock()) { server in
            let first = try RawClient(server.server.address, receiveBuffer: 4096)
            await first.send(TestServer.text("GET", "/v1/huge"))
            _ = try await first.receive("HTTP/1.1 200")
            let second = try RawClient(server.server.address, receiveBuffer: 4096)
            await second.send(TestServer.text("GET", "/v1/huge"))
            await server.api.until { $0.records.contains { !$0.isComplete } }
        }
    }

    @Test func aRefusedClientThatStaysIsCut() async throws {
        let clock = VirtualClock()
        try await withServer(clock: clock) { server in
            let client = try server.client()
            await client.send(TestServer.text("POST", "/v1/echo", headers: ["Content-Length: 9999999"]))
            #expect(try await client.response().status == 413)
            await clock.sleepers(1)
            clock.advance(by: .seconds(6))
            // The server's side is gone altogether: what is sent now is answered with a reset.
            var isOpen = true
            for _ in 0..<100_000 where isOpen { isOpen = await client.send([UInt8](repeating: 0x20, count: 1000)) }
            #expect(!isOpen)
        }
    }
}
