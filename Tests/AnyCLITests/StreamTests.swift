import Glibc
import TestSupport
import Testing

/// Streams of events, as lines of JSON.
@Suite(.serialized) struct StreamTests {
    private static let ready = "event: ready\ndata: {}\n\n"
    private static let closed = "event: closed\ndata: {\"reason\":\"server_shutdown\"}\n\n"

    @Test func eachEventIsALine() async throws {
        let text =
            Self.ready + ": keepalive\n\nevent: snapshot\r\ndata: {\"records\":\r\ndata: [ ]}\r\n\r\n" + Self.closed
        try await withScriptedServer({ _ in .events(text) }) { server in
            let run = try await server.run("space", "subscribe", #"{"limit":2}"#)
            #expect(run.status == 0 && run.errors.isEmpty)
            #expect(
                run.output == """
                    {"event":"ready","data":{}}
                    {"event":"snapshot","data":{"records":[]}}
                    {"event":"closed","data":{"reason":"server_shutdown"}}

                    """)
            let request = try #require(server.requests.first)
            #expect(request.target == "/v1/spaces/query/subscribe" && request.body == #"{"limit":2}"#)
            #expect(request.headers["accept"] == "text/event-stream")
        }
    }

    @Test func aChatIsFollowedByItsName() async throws {
        try await withScriptedServer({ request in
            request.method == "GET"
                ? .response(200, #"{"chats":[{"id":"g","isGeneral":true}]}"#) : .events(Self.ready + Self.closed)
        }) { server in
            let run = try await server.run("chat", "follow", "s", "general", "--limit", "3")
            #expect(run.status == 0 && run.output.hasPrefix("{\"event\":\"ready\""))
            let request = try #require(server.requests.last)
            #expect(request.target == "/v1/spaces/s/query/subscribe")
            #expect(request.body == #"{"objectId":"g","dataset":"chat_messages","sort":["-_ver.id"],"limit":3}"#)
        }
    }

    @Test func aStreamThatEndsWithoutAWordWasCut() async throws {
        try await withScriptedServer({ _ in .events(Self.ready) }) { server in
            let run = try await server.run("space", "subscribe")
            #expect(run.status == 2)
            #expect(run.output == "{\"event\":\"ready\",\"data\":{}}\n")
            #expect(run.errors == "any: the stream was cut: the server ended it without a word\n")
        }
    }

    @Test func aRefusedStreamIsARefusal() async throws {
        try await withScriptedServer({ _ in .error(400, "request.invalid_field", "no such sort") }) { server in
            let run = try await server.run("space", "subscribe")
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors == "any: Bad Request: no such sort (request.invalid_field)\n")
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func anInterruptEndsAStreamCleanly(signal: Int32) async throws {
        try await withScriptedServer({ _ in .events(Self.ready, staysOpen: true) }) { server in
            let process = try ToolProcess(["--addr", server.address, "space", "subscribe"], keepsErrors: true)
            #expect(String(decoding: await process.read(), as: UTF8.self) == "{\"event\":\"ready\",\"data\":{}}\n")
            process.signal(signal)
            let end = await process.end()
            #expect(end.status == 0)
            #expect(end.output.isEmpty && end.errors.isEmpty)
        }
    }

    @Test func aStreamEndsWithItsReader() async throws {
        try await withScriptedServer({ _ in .events(Self.ready, staysOpen: true) }) { server in
            let process = try ToolProcess(["--addr", server.address, "space", "subscribe"], keepsErrors: true)
            _ = await process.read()
            process.closeOutput()
            #expect(await process.wait() == 0)
        }
    }
}
