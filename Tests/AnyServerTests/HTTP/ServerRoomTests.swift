import TestSupport
import Testing

@testable import AnyServer

/// Clients that hold connections and ask nothing keep no others out.
@Suite(.timeLimit(.minutes(5))) struct ServerRoomTests {
    private static let limits = {
        var limits = HTTPLimits.patient
        (limits.connections, limits.streams) = (16, 4)
        return limits
    }()

    @Test func idleConnectionsAndHalfSentHeadsGiveWay() async throws {
        try await withServer(limits: Self.limits) { server in
            var idle: [RawClient] = []
            for _ in 0..<40 {
                let client = try server.client()
                await client.send(TestServer.text("GET", "/v1/health"))
                #expect(try await client.response().status == 200)
                idle.append(client)
            }
            for _ in 0..<100 {
                let client = try server.client()
                await client.send("GET /v1/health HTTP/1.1\r\nHost: local")
                idle.append(client)
            }
            for _ in 0..<20 { #expect(try await server.request("GET", "/v1/health").status == 200) }
            // The first have gone without another byte.
            #expect(try await idle[0].receiveAll() == "")
        }
    }

    @Test func whatIsAtWorkKeepsItsPlace() async throws {
        try await withServer(limits: Self.limits) { server in
            let upload = try server.client()
            await upload.send("POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{")
            let working = try server.client()
            await working.send(TestServer.text("POST", "/v1/wait"))
            await server.api.until { $0.waits.count == 1 }
            for _ in 0..<60 { #expect(try await server.request("GET", "/v1/health").status == 200) }
            await upload.send("}")
            #expect(try await upload.response().status == 200)
            server.api.releaseWaits()
            #expect(try await working.response().status != 503)
        }
    }

    @Test func aProcessWithFewDescriptorsGrantsFewerConnections() throws {
        let limits = HTTPLimits()
        #expect(limits.fitted(toDescriptors: 1 << 20) == limits)
        let few = limits.fitted(toDescriptors: 1024)
        #expect(few.connections == 768 && few.streams == 576)
        try few.validate()
        try limits.fitted(toDescriptors: 10).validate()
    }
}
