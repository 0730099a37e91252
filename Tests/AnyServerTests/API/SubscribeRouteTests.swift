import Testing

@testable import AnyServer

@Suite struct SubscribeRouteTests {
    private func subscribe(_ live: LiveServer, _ body: String = "{}") async throws -> RawClient {
        let client = try live.client()
        await client.send(TestServer.text("POST", "/v1/spaces/query/subscribe", body: body))
        return client
    }

    @Test func rowsComeChangeAndGo() async throws {
        try await withAnyServer { live in
            let client = try await subscribe(live, #"{"filter":{"status":"active"}}"#)
            let head = try await client.receive("event: snapshot\ndata: {\"records\":[]}\n\n")
            #expect(head.contains("Content-Type: text/event-stream"))
            #expect(head.contains("event: ready\ndata: {}\n\n"))
            let id = try await live.makeSpace("Home")
            let added = try await client.receive("event: changes")
            #expect(!added.contains("\"added\":[]"))
            _ = try await client.receive("encKeyId")
            let before = try #require(
                try await live.request("GET", "/v1/spaces/\(id)").json?.object?.object("push")?.string("encKeyId"))
            #expect(try await live.request("POST", "/v1/spaces/\(id)/rotate").status == 204)
            let after = try #require(
                try await live.request("GET", "/v1/spaces/\(id)").json?.object?.object("push")?.string("encKeyId"))
            #expect(before != after)
            // A rotation is an update of the row, down to the key.
            let rotated = try await client.receive(
                #"{"type":"$set","path":["push","encKeyId"],"payload":"\#(after)"}"#)
            #expect(rotated.contains("\"updated\":[{\"id\":\"\(id)\""))
            #expect(try await live.request("DELETE", "/v1/spaces/\(id)").status == 204)
            _ = try await client.receive("\"removed\":[{\"id\":\"\(id)\",\"reason\":\"filtered-out\"}]")
        }
    }

    @Test func theProfileIsARecordToo() async throws {
        try await withAnyServer { live in
            let client = try await subscribe(live, #"{"dataset":"profile"}"#)
            let id = try #require(live.server.accountId)
            _ = try await client.receive("data: {\"records\":[{\"id\":\"\(id)\"}]}")
            #expect(try await live.request("PATCH", "/v1/profile", json: ["name": "Ann"]).status == 204)
            _ = try await client.receive(#"{"type":"$set","path":["name"],"payload":"Ann"}"#)
            let asked = try await live.request("POST", "/v1/spaces/query", json: ["dataset": "profile"])
            #expect(asked.json == ["records": [["id": .string(id), "name": "Ann"]]])
        }
    }

    @Test func errorsBeforeTheStreamAreJSON() async throws {
        try await withAnyServer { live in
            for (body, code) in [
                ("[]", "request.bad_json"), (#"{"dataset":"chats"}"#, "request.invalid_field"),
                (#"{"filter":{"a":{"$near":1}}}"#, "filter.unknown_operator"),
                (#"{"limit":2}"#, "request.missing_field"),
                (#"{"mailboxCapacity":15}"#, "request.invalid_field"), (#"{"x":1}"#, "request.unknown_field"),
                (#"{"driftBudgetPercent":101}"#, "request.invalid_field"),
                (#"{"sort":["$a"]}"#, "request.invalid_field"),
            ] {
                let response = try await live.request("POST", "/v1/spaces/query/subscribe", body: body)
                #expect(response.status == 400)
                #expect(response.errorCode == code)
            }
        }
    }

    @Test func aWindowThatTooMuchLeavesIsClosed() async throws {
        try await withAnyServer { live in
            var ids: [String] = []
            for number in 0..<4 { ids.append(try await live.makeSpace("b\(number)")) }
            let body = #"{"filter":{"status":"active"},"sort":["name"],"limit":4,"driftBudgetPercent":25}"#
            let client = try await subscribe(live, body)
            _ = try await client.receive("event: snapshot")
            // What others displace costs nothing.
            for name in ["a1", "a2", "a3", "a4"] { ids.append(try await live.makeSpace(name)) }
            _ = try await client.receive("\"name\":\"a4\"")
            for id in ids[4...] {
                #expect(try await live.request("DELETE", "/v1/spaces/\(id)").status == 204)
            }
            let all = try await client.receive("event: closed\ndata: {\"reason\":\"drifted\"}\n\n")
            #expect(all.contains("\"reason\":\"filtered-out\""))
        }
    }

    @Test func theEndIsSaid() async throws {
        var client: RawClient?
        try await withAnyServer { live in
            client = try await subscribe(live)
            _ = try await client?.receive("event: snapshot")
            await live.server.stop()
        }
        let rest = try await #require(client).receiveAll()
        #expect(rest.contains("event: closed\ndata: {\"reason\":\"server_shutdown\"}\n\n"))
    }

    @Test func anAccountThatGoesClosesItsStreams() async throws {
        try await withAnyServer(mode: .managed) { live in
            let control = ["\(ControlToken.header): \(try #require(live.server.controlToken).text)"]
            let body = #"{"mnemonic":"\#(WalletTests.phrase)"}"#
            #expect(try await live.request("POST", "/v1/auth", headers: control, body: body).status == 200)
            let client = try await subscribe(live)
            _ = try await client.receive("event: snapshot")
            #expect(try await live.request("DELETE", "/v1/auth", headers: control).status == 204)
            _ = try await client.receive("event: closed\ndata: {\"reason\":\"deauthorized\"}\n\n")
            #expect(try await live.request("GET", "/v1/spaces").errorCode == "auth.required")
        }
    }

    @Test func aThousandSubscribersHearTheSame() async throws {
        try await withAnyServer { live in
            var clients: [RawClient] = []
            for _ in 0..<1000 { clients.append(try await subscribe(live)) }
            for client in clients { _ = try await client.receive("event: snapshot") }
            let id = try await live.makeSpace()
            for client in clients { _ = try await client.receive("\"added\":[{\"id\":\"\(id)\"") }
            #expect(try await live.request("GET", "/v1/health").status == 200)
        }
    }
}
