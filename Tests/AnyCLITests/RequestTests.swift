import Testing

/// What each command asks the server.
@Suite(.serialized) struct RequestTests {
    struct Ask: Sendable, CustomTestStringConvertible {
        let words: [String]
        let method: String
        let target: String
        let body: String

        init(_ words: String, _ method: String, _ target: String, _ body: String = "") {
            // CHAT is an id: other words are names, which are looked up.
            let chat = "bafyreigikrewpn655emfdvnf4ehk26md2bzg2knnjtxb7h7qqevut6o4ki"
            self.words = words.split(separator: " ").map {
                String($0).replacing("A_B", with: "A B").replacing("CHAT", with: chat)
            }
            self.method = method
            self.target = target.replacing("CHAT", with: chat)
            self.body = body.replacing("CHAT", with: chat)
        }

        var testDescription: String { words.joined(separator: " ") }
    }

    static let asks = [
        Ask("status", "GET", "/v1/health"),
        Ask("auth status", "GET", "/v1/auth"),
        Ask(
            "push token set --platform ios --token abc", "POST", "/v1/push/token", #"{"platform":"ios","token":"abc"}"#),
        Ask(
            "push token set --token=a=b --platform=windows", "POST", "/v1/push/token",
            #"{"platform":"windows","token":"a=b"}"#),
        Ask("push token revoke", "DELETE", "/v1/push/token"),
        Ask("push token status", "GET", "/v1/push/token"),
        Ask("push subscriptions", "GET", "/v1/push/subscriptions"),
        Ask("push status", "GET", "/v1/push/status"),
        Ask("profile get", "GET", "/v1/profile"),
        Ask("profile set --name Alice", "PATCH", "/v1/profile", #"{"name":"Alice"}"#),
        Ask("space create", "POST", "/v1/spaces", "{}"),
        Ask("space create --name A_B --icon-cid c", "POST", "/v1/spaces", #"{"name":"A B","iconCid":"c"}"#),
        Ask("space list", "GET", "/v1/spaces"),
        Ask("space list --status deleted", "GET", "/v1/spaces?status=deleted"),
        Ask("space get s", "GET", "/v1/spaces/s"),
        Ask("space get a/../b?c", "GET", "/v1/spaces/a%2F..%2Fb%3Fc"),
        Ask("space get ..", "GET", "/v1/spaces/.."),
        Ask("space update s --name N", "PATCH", "/v1/spaces/s", #"{"name":"N"}"#),
        Ask("space update s --name=", "PATCH", "/v1/spaces/s", #"{"name":""}"#),
        Ask(#"space update s {"description":"d"}"#, "PATCH", "/v1/spaces/s", #"{"description":"d"}"#),
        Ask("space delete s --yes", "DELETE", "/v1/spaces/s"),
        Ask("space query", "POST", "/v1/spaces/query", "{}"),
        Ask(#"space query {"limit":1}"#, "POST", "/v1/spaces/query", #"{"limit":1}"#),
        Ask("space leave s", "POST", "/v1/spaces/s/leave"),
        Ask("space members set-role s A1 admin", "PATCH", "/v1/spaces/s/members/A1", #"{"permission":"admin"}"#),
        Ask("space members list s", "GET", "/v1/spaces/s/members"),
        Ask("space members add s A1", "POST", "/v1/spaces/s/members", #"{"identity":"A1"}"#),
        Ask(
            "space members add s A1 --role reader", "POST", "/v1/spaces/s/members",
            #"{"identity":"A1","permission":"reader"}"#),
        Ask("space members remove s A1", "DELETE", "/v1/spaces/s/members/A1"),
        Ask("space rotate s", "POST", "/v1/spaces/s/rotate"),
        Ask("space one-to-one A1", "POST", "/v1/spaces/one-to-one", #"{"otherIdentity":"A1"}"#),
        Ask("space accept s", "POST", "/v1/spaces/s/one-to-one/accept"),
        Ask("space decline s", "POST", "/v1/spaces/s/one-to-one/decline"),
        Ask(
            "space settings s --set notifyMode=none --set-bool b=true --set-num n=-1.5 --set-num m=7 --unset x --unset y",
            "PATCH", "/v1/spaces/s/settings",
            #"{"set":{"notifyMode":"none","b":true,"n":-1.5,"m":7},"unset":["x","y"]}"#),
        Ask("space settings s --set a=b=c --set e=", "PATCH", "/v1/spaces/s/settings", #"{"set":{"a":"b=c","e":""}}"#),
        Ask("chat create s --name Team", "POST", "/v1/spaces/s/chats", #"{"name":"Team"}"#),
        Ask("chat chats s", "GET", "/v1/spaces/s/chats"),
        Ask("chat send s CHAT --text Hello", "POST", "/v1/spaces/s/objects/CHAT/chat/messages", #"{"text":"Hello"}"#),
        Ask(
            "chat send s CHAT --text=Yes --reply-to m", "POST", "/v1/spaces/s/objects/CHAT/chat/messages",
            #"{"text":"Yes","replyToMessageId":"m"}"#),
        Ask(#"chat send s CHAT {"text":"x"}"#, "POST", "/v1/spaces/s/objects/CHAT/chat/messages", #"{"text":"x"}"#),
        Ask("chat edit s CHAT m --text New", "PATCH", "/v1/spaces/s/objects/CHAT/chat/messages/m", #"{"text":"New"}"#),
        Ask("chat delete s CHAT m", "DELETE", "/v1/spaces/s/objects/CHAT/chat/messages/m"),
        Ask("chat react s CHAT m 👍", "POST", "/v1/spaces/s/objects/CHAT/chat/messages/m/reactions/%F0%9F%91%8D"),
        Ask("chat read s CHAT m", "POST", "/v1/spaces/s/objects/CHAT/chat/messages/m/read"),
        Ask("chat read-all s CHAT", "POST", "/v1/spaces/s/objects/CHAT/chat/read-all"),
        Ask("chat read-reactions s CHAT m", "POST", "/v1/spaces/s/objects/CHAT/chat/messages/m/reactions-read"),
        Ask(
            "chat notify s CHAT none", "POST", "/v1/spaces/s/properties/CHAT/set/chat",
            #"{"patch":{"notifyMode":"none"}}"#),
        Ask(
            "chat notify s CHAT default", "POST", "/v1/spaces/s/properties/CHAT/set/chat",
            #"{"patch":{"notifyMode":null}}"#),
        Ask("auth logout", "DELETE", "/v1/auth"),
        Ask("auth logout --keep-token", "DELETE", "/v1/auth?keepToken=true"),
        Ask("auth login", "POST", "/v1/auth", "{}"),
        Ask(
            "auth login --mnemonic A_B --index 2 --replace", "POST", "/v1/auth",
            #"{"mnemonic":"A B","index":2,"replace":true}"#),
        Ask("auth login --account A1", "POST", "/v1/auth", #"{"accountId":"A1"}"#),
        Ask("space sync s", "POST", "/v1/spaces/s/sync"),
        Ask("space derived", "GET", "/v1/spaces/derived"),
        Ask("space list --status all", "GET", "/v1/spaces?status=all"),
        Ask(
            #"space query --filter {"a":1} --sort -b,c --limit 2 --offset 1 --total --projection -name,id --dataset spaces"#,
            "POST", "/v1/spaces/query",
            #"{"filter":{"a":1},"sort":["-b","c"],"limit":2,"offset":1,"includeTotal":true,"projection":{"name":-1,"id":1},"dataset":"spaces"}"#
        ),
        Ask(
            "query s CHAT --dataset chat_messages --sort -_ver.id --limit 5", "POST", "/v1/spaces/s/query",
            #"{"objectId":"CHAT","dataset":"chat_messages","sort":["-_ver.id"],"limit":5}"#),
        Ask(#"query s --properties --filter {"x":1}"#, "POST", "/v1/spaces/s/objects/query", #"{"filter":{"x":1}}"#),
        Ask(
            "chat send s CHAT --text Hi --agent-name bob --agent-debug-link l --agent-done", "POST",
            "/v1/spaces/s/objects/CHAT/chat/messages",
            #"{"text":"Hi","agent":{"name":"bob","debugLink":"l","done":true}}"#),
        Ask(#"auth login {"accountKey":"k"}"#, "POST", "/v1/auth", #"{"accountKey":"k"}"#),
        Ask(
            "chat list s CHAT", "POST", "/v1/spaces/s/query",
            #"{"objectId":"CHAT","dataset":"chat_messages","sort":["-_ver.id"],"limit":50}"#),
        Ask(
            "chat list s CHAT --mentions A1 --unread-mentions --limit 5 --offset 2", "POST", "/v1/spaces/s/query",
            #"{"objectId":"CHAT","dataset":"chat_messages","filter":{"mentions":"A1","unreadMention":true},"sort":["-_ver.id"],"limit":5,"offset":2}"#
        ),
        Ask(
            #"chat list s CHAT {"limit":1}"#, "POST", "/v1/spaces/s/query",
            #"{"objectId":"CHAT","dataset":"chat_messages","limit":1}"#),
    ]

    @Test(arguments: asks)
    func aCommandIsOneRequest(ask: Ask) async throws {
        try await withScriptedServer({ _ in .response(200, #"{"b":1,"a":[]}"#) }) { server in
            let run = try await server.run(ask.words)
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            #expect(run.output == "{\n  \"b\": 1,\n  \"a\": []\n}\n")
            let request = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect(request.method == ask.method)
            #expect(request.target == ask.target)
            #expect(request.body == ask.body)
            #expect(request.headers["content-type"] == (ask.body.isEmpty ? nil : "application/json"))
            #expect(request.headers["x-any-control-token"] == nil)
            if ask.method != "GET" || !ask.body.isEmpty { #expect(request.headers["expect"] == nil) }
        }
    }

    @Test func aSideEffectPrintsNothing() async throws {
        try await withScriptedServer({ _ in .noContent }) { server in
            let run = try await server.run("push", "token", "revoke")
            #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty)
        }
    }

    @Test func theGeneralChatGoesByItsName() async throws {
        try await withScriptedServer({ request in
            request.method == "GET"
                ? .response(200, #"{"chats":[{"id":"other","isGeneral":false},{"id":"first","isGeneral":true}]}"#)
                : .response(201, #"{"versionId":"v"}"#)
        }) { server in
            let run = try await server.run("chat", "send", "s", "general", "--text", "Hi")
            #expect(run.status == 0)
            #expect(
                server.requests.map(\.target) == ["/v1/spaces/s/chats", "/v1/spaces/s/objects/first/chat/messages"])
        }
        try await withScriptedServer({ _ in .response(200, #"{"chats":[]}"#) }) { server in
            let run = try await server.run("chat", "read-all", "s", "general")
            #expect(run.status == 1)
            #expect(run.errors == "any: the space s has no chat \"general\"; see any chat chats s\n")
        }
    }

    @Test func chatsGoByTheirNames() async throws {
        let chats =
            #"{"chats":[{"id":"g","isGeneral":true},{"id":"a","name":"Crew"},{"id":"b","name":"x"},{"id":"c","name":"x"}]}"#
        try await withScriptedServer({ $0.method == "GET" ? .response(200, chats) : .noContent }) { server in
            for (name, id) in [("Crew", "a"), ("general", "g"), ("b", "b")] {
                let run = try await server.run("chat", "read-all", "s", name)
                #expect(run.status == 0 && server.requests.last?.target == "/v1/spaces/s/objects/\(id)/chat/read-all")
            }
            let unknown = try await server.run("chat", "read-all", "s", "crew")
            #expect(unknown.status == 1)
            #expect(unknown.errors == "any: the space s has no chat \"crew\"; see any chat chats s\n")
            let several = try await server.run("chat", "read-all", "s", "x")
            #expect(several.status == 1)
            #expect(several.errors == "any: several chats are called \"x\": b, c; name one by its id\n")
        }
    }

    @Test func settingsAreShown() async throws {
        let row = #"{"id":"s","settings":{"notifyMode":"none"}}"#
        try await withScriptedServer({ $0.target.hasSuffix("/s") ? .response(200, row) : .response(200, "{}") }) {
            server in
            let run = try await server.run("space", "settings", "s")
            #expect(run.status == 0 && run.output == "{\n  \"notifyMode\": \"none\"\n}\n")
            let none = try await server.run("space", "settings", "other")
            #expect(none.status == 0 && none.output == "{}\n")
            #expect(server.requests.map(\.method) == ["GET", "GET"])
        }
    }

    @Test func optionsOfTheClientStandAnywhere() async throws {
        try await withScriptedServer({ _ in .noContent }) { server in
            for words in [
                ["push", "--addr", server.address, "token", "revoke"],
                ["push", "token", "revoke", "--addr=" + server.address],
            ] {
                let run = try await AnyProcess.run(words)
                #expect(run.status == 0)
            }
        }
    }

    @Test func theControlTokenGoesInItsHeader() async throws {
        try await withScriptedServer({ _ in .noContent }) { server in
            _ = try await server.run("status", "--control-token", "from-the-option")
            _ = try await server.run(["status"], environment: ["ANY_CONTROL_TOKEN": "from-the-environment"])
            #expect(
                server.requests.map { $0.headers["x-any-control-token"] } == [
                    "from-the-option", "from-the-environment",
                ])
            let split = try await server.run("status", "--control-token", "a\r\nX-Other: b")
            #expect(split.status == 1 && server.requests.count == 2)
            #expect(split.errors == "any: the control token is not of visible ASCII characters\n")
        }
    }

    @Test func verboseSaysWhatIsAskedAndNoSecret() async throws {
        try await withScriptedServer({ _ in .noContent }) { server in
            let words = ["push", "token", "set", "--platform", "ios", "--token", "secret-1", "--verbose"]
            let run = try await server.run(words + ["--control-token", "secret-2"])
            #expect(run.output.isEmpty)
            #expect(run.errors == "> POST http://\(server.address)/v1/push/token\n< 204 No Content, 0 bytes\n")
        }
    }

    @Test func aProxyOfTheEnvironmentIsNotAsked() async throws {
        try await withScriptedServer({ _ in .noContent }) { server in
            let environment = ["http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"]
            let run = try await server.run(["push", "token", "revoke"], environment: environment)
            #expect(run.status == 0)
        }
    }
}
