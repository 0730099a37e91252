import Glibc
import Testing
import TestSupport

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

    @Test(arguments: ["0.0.0.0:0", ":7001", "[::]:7001", "192.168.1.5:80", "example.org:80", "127.0.0.01:1", "128.0.0.1:1", "127.1:1"])
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

    @Test func manyStartsAndStopsLeaveNothingOpen() async throws {
        // The first server brings what the process keeps.
        try await withServer { _ = try await $0.request("GET", "/v1/health") }
        for _ in 0..<20 {
            try await withServer { server in
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
        }
    }
}
