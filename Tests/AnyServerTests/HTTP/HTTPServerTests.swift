import Glibc
import TestSupport
import Testing

@testable import AnyServer

@Suite struct HTTPServerTests {
    @Test(arguments: ["127.0.0.1:0", "[::1]:0", "localhost:0", "127.3.2.1:0"])
    func aLoopbackAddressIsServed(text: String) async throws {
        let address = try ListenAddress(text)
        guard text != "127.3.2.1:0" else { return #expect(address.description == text) }
        try await withServer(at: address) { server in
            #expect(server.server.address.port != 0)
            let response = try await server.request("GET", "/v1/health")
            #expect(response.status == 200)
            #expect(response.text == #"{"status":"ok"}"#)
            #expect(response.headers["Content-Type"] == "application/json; charset=utf-8")
        }
    }

    @Test(arguments: [
        "0.0.0.0:0", ":7001", "[::]:7001", "192.168.1.5:80", "example.org:80", "127.0.0.01:1", "128.0.0.1:1",
        "127.1:1",
    ])
    func otherHostsAreRefused(text: String) {
        #expect(throws: HTTPServerError.notLoopback(String(text[..<(text.lastIndex(of: ":") ?? text.endIndex)]))) {
            try ListenAddress(text)
        }
    }

    @Test(arguments: ["", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:x"])
    func otherTextIsNoAddress(text: String) {
        #expect(throws: HTTPServerError.invalidAddress(text)) { try ListenAddress(text) }
    }

    @Test func aTakenPortIsSaid() async throws {
        try await withServer { server in
            let api = TestAPI()
            let router = try api.router()
            let address = server.server.address
            let expected = HTTPServerError.system(operation: "binding \(address)", error: EADDRINUSE)
            await #expect(throws: expected) { try await HTTPServer.start(at: address, router: router) }
        }
    }

    @Test func manyRequestsShareAConnection() async throws {
        try await withServer { server in
            let client = try server.client()
            for number in 0..<20 {
                await client.send(TestServer.text("GET", "/v1/spaces/s\(number)"))
                let response = try await client.response()
                #expect(response.text == #"{"id":"s\#(number)"}"#)
            }
            // Sent ahead of their answers.
            await client.send((0..<20).map { TestServer.text("GET", "/v1/spaces/p\($0)") }.joined())
            for number in 0..<20 {
                let response = try await client.response()
                #expect(response.text == #"{"id":"p\#(number)"}"#)
            }
        }
    }

    @Test func aHalfClosedClientGetsItsAnswer() async throws {
        try await withServer { server in
            // The library treats its oldest connection better than the others, so this one comes first.
            let oldest = try server.client()
            await oldest.send(TestServer.text("GET", "/v1/health"))
            _ = try await oldest.response()
            for target in ["/v1/health", "/v1/large"] {
                let client = try server.client()
                await client.send(TestServer.text("GET", target))
                client.halfClose()
                let response = try await client.response()
                #expect(response.status == 200)
                #expect(try await client.receiveAll() == "")
            }
            let client = try server.client()
            await client.send(TestServer.text("POST", "/v1/echo", body: #"{"a":1}"#))
            client.halfClose()
            #expect(try await client.response().text == #"{"a":1}"#)
        }
    }

    @Test(arguments: [
        "", "GET /v1/hea", "GET / HTTP/1.1\r\nHost: x\r\n",
        "POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n{",
        "POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    ])
    func aHalfClosedClientWithoutARequestIsClosed(text: String) async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(text)
            client.halfClose()
            #expect(try await client.receiveAll() == "")
        }
    }

    @Test func aClientThatGoesAwayCancelsItsHandler() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(TestServer.text("POST", "/v1/wait"))
            await server.api.until { $0.waits.count == 1 }
            client.reset()
            await server.api.until { $0.cancelledWaits == 1 && $0.records.count == 1 }
            let record = try #require(server.api.read { $0.records.first })
            #expect(!record.isComplete)
        }
    }

    @Test func startsAndStopsLeaveNothingBehind() async throws {
        weak var core: ServerCore?
        weak var thread: HTTPLoop.State?
        for _ in 0..<20 {
            try await withServer { server in
                core = server.server.core
                thread = server.server.core.loop.state
                let idle = try server.client()
                await idle.send(TestServer.text("GET", "/v1/health"))
                _ = try await idle.response()
                let stream = try server.client()
                await stream.send(TestServer.text("POST", "/v1/spaces/query/subscribe", body: "{}"))
                _ = try await stream.receive("event: snapshot")
                let waiting = try server.client()
                await waiting.send(TestServer.text("POST", "/v1/wait"))
                await server.api.until { $0.waits.count == 1 }
            }
            // The thread, whose state holds every descriptor of the loop, ends by itself a moment later.
            await eventually { core == nil && thread == nil }
        }
    }

    @Test func aServerThatCanNotStartLeavesNothingBehind() async throws {
        try await withServer { server in
            let router = try server.api.router()
            weak var thread: HTTPLoop.State?
            do {
                let loop = try HTTPLoop()
                thread = loop.state
                let core = ServerCore(
                    loop: loop, router: router, limits: HTTPLimits(), clock: HTTPClock(ContinuousClock()),
                    ids: RequestIds(serial: 0), onAccess: { _ in })
                await #expect(throws: HTTPServerError.self) { try await core.start(at: server.server.address) }
            }
            await eventually { thread == nil }
        }
    }

    @Test func limitsThatMakeNoSenseAreRefused() async throws {
        let router = try TestAPI().router()
        var streams = HTTPLimits()
        streams.streams = streams.connections
        var bodies = HTTPLimits()
        bodies.bufferedBytes = bodies.bodyBytes - 1
        var memory = HTTPLimits()
        memory.connectionMemory = 100
        for limits in [streams, bodies, memory] {
            await #expect(throws: HTTPServerError.self) {
                try await HTTPServer.start(at: ListenAddress(port: 0), router: router, limits: limits)
            }
        }
    }
}
