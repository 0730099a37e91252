import PushCrypto
import Testing

@testable import AnyServer

@Suite struct SpaceRouteTests {
    private static let push: Set<String> = ["spaceKey", "encKey", "encKeyId"]

    @Test func aSpaceLivesAndLeavesATombstone() async throws {
        try await withAnyServer { live in
            let made = try await live.request("POST", "/v1/spaces", json: ["name": "Home", "description": "d"])
            #expect(made.status == 201)
            let space = try #require(made.json?.object)
            let id = try #require(space.string("id"))
            #expect(space.string("name") == "Home")
            #expect(space.string("status") == "active")
            #expect(space.string("ownRole") == "owner")
            #expect(space.string("spaceType") == "any.space")
            #expect(space.string("author") == live.server.accountId)
            #expect(Set(space.object("push")?.names ?? []) == Self.push)
            #expect(try await live.request("GET", "/v1/spaces/\(id)").json == .object(space))
            var row = space
            row["spaceIndexObjectId"] = .none
            #expect(try await live.request("GET", "/v1/spaces").json == ["spaces": [.object(row)]])
            #expect(try await live.request("GET", "/v1/spaces?status=deleted").json == ["spaces": []])

            #expect(try await live.request("PATCH", "/v1/spaces/\(id)", json: ["name": "Den"]).status == 204)
            let renamed = try #require(try await live.request("GET", "/v1/spaces/\(id)").json?.object)
            #expect(renamed.string("name") == "Den" && renamed.string("description") == "d")

            #expect(try await live.request("DELETE", "/v1/spaces/\(id)").status == 204)
            #expect(try await live.request("DELETE", "/v1/spaces/\(id)").status == 204)
            let tombstone = try #require(try await live.request("GET", "/v1/spaces/\(id)").json?.object)
            #expect(tombstone.string("status") == "deleted")
            #expect(tombstone["push"] == space["push"])
            #expect(try await live.request("GET", "/v1/spaces").json == ["spaces": []])
            let late = try await live.request("PATCH", "/v1/spaces/\(id)", json: ["name": "x"])
            #expect(late.status == 409)
        }
    }

    @Test func whatIsNotThereIsSaid() async throws {
        try await withAnyServer { live in
            for (method, target, body) in [
                ("GET", "/v1/spaces/none", nil), ("PATCH", "/v1/spaces/none", #"{"name":"x"}"#),
                ("DELETE", "/v1/spaces/none", nil), ("POST", "/v1/spaces/none/accept", nil),
                ("POST", "/v1/spaces/none/decline", nil), ("GET", "/v1/spaces/none/members", nil),
                ("POST", "/v1/spaces/none/rotate", nil), ("GET", "/v1/spaces/none/export", nil),
                ("GET", "/v1/spaces/none/chats", nil), ("PATCH", "/v1/spaces/none/settings", #"{"set":{"a":1}}"#),
                ("POST", "/v1/spaces/none/query", #"{"objectId":"x","dataset":"chat_messages"}"#),
            ] as [(String, String, String?)] {
                let response = try await live.request(method, target, body: body)
                #expect(response.status == 404, "\(method) \(target)")
                #expect(response.errorCode == "space.not_found", "\(method) \(target)")
            }
        }
    }

    @Test func aSpaceOfTwoIsFoundAgain() async throws {
        try await withAnyServer { live in
            let other = SigningKey().publicKey.accountAddress
            let first = try await live.request("POST", "/v1/spaces/one-to-one", json: ["identity": .string(other)])
            #expect(first.status == 201)
            #expect(first.json?.object?.string("spaceType") == "any.onetoone")
            let again = try await live.request("POST", "/v1/spaces/one-to-one", json: ["identity": .string(other)])
            #expect(again.json == first.json)
            for identity in ["x", live.server.accountId ?? ""] {
                let response = try await live.request(
                    "POST", "/v1/spaces/one-to-one", json: ["otherIdentity": .string(identity)])
                #expect(response.errorCode == "request.invalid_field")
            }
            #expect(
                try await live.request("POST", "/v1/spaces/one-to-one", body: "{}").errorMessage
                    == "otherIdentity required")
            let id = try #require(first.json?.object?.string("id"))
            #expect(try await live.request("POST", "/v1/spaces/\(id)/decline").status == 409)
        }
    }

    @Test(
        arguments: [
            ("{}", "request.missing_field", "at least one set or unset entry is required", nil),
            (#"{"set":{},"unset":[]}"#, "request.missing_field", "at least one set or unset entry is required", nil),
            (#"{"set":{"":1}}"#, "request.invalid_field", "a setting's key must not be empty", ""),
            (#"{"unset":["a.b"]}"#, "request.invalid_field", "the setting's key \"a.b\" must not contain a dot", "a.b"),
            (#"{"set":{"a":[1]}}"#, "request.invalid_field", "must be a string, a number or a boolean", "a"),
            (#"{"set":{"a":null}}"#, "request.invalid_field", "must be a string, a number or a boolean", "a"),
            (#"{"set":{"a":1},"unset":["a"]}"#, "request.invalid_field", "is in both set and unset", "a"),
            (#"{"set":[]}"#, "request.bad_json", "set must be a JSON object, got an array", nil),
            (#"{"unset":"a"}"#, "request.bad_json", "unset must be an array, got a string", nil),
            (#"{"unset":[1]}"#, "request.bad_json", "unset[0] must be a string, got a number", nil),
            (#"{"settings":{}}"#, "request.unknown_field", "accepted fields: set, unset", nil),
        ] as [(String, String, String, String?)])
    func aBadSettingsPatchIsRefused(body: String, code: String, message: String, key: String?) async throws {
        try await withAnyServer { live in
            let id = try await live.makeSpace()
            let response = try await live.request("PATCH", "/v1/spaces/\(id)/settings", body: body)
            #expect(response.status == 400)
            #expect(response.errorCode == code)
            #expect(response.errorMessage?.contains(message) == true, "\(response.errorMessage ?? "")")
            if let key { #expect(response.errorDetails?.string("key") == key) }
            // The same whether or not the space is there.
            #expect(try await live.request("PATCH", "/v1/spaces/none/settings", body: body).errorCode == code)
        }
    }

    @Test func settingsAreKeptOnEveryRow() async throws {
        try await withAnyServer { live in
            let id = try await live.makeSpace()
            let patch = #"{"set":{"notifyMode":"none","n":1.5,"on":true},"unset":["gone"]}"#
            #expect(try await live.request("PATCH", "/v1/spaces/\(id)/settings", body: patch).status == 204)
            let row = try #require(try await live.request("GET", "/v1/spaces/\(id)").json?.object)
            #expect(row["settings"] == ["n": 1.5, "notifyMode": "none", "on": true])
            #expect(try await live.request("DELETE", "/v1/spaces/\(id)").status == 204)
            let unset = #"{"unset":["n","on"]}"#
            #expect(try await live.request("PATCH", "/v1/spaces/\(id)/settings", body: unset).status == 204)
            let rest = try await live.request("GET", "/v1/spaces/\(id)").json?.object
            #expect(rest?["settings"] == ["notifyMode": "none"])
        }
    }

    @Test func membersComeAndGo() async throws {
        try await withAnyServer { live in
            let id = try await live.makeSpace()
            let other = SigningKey().publicKey.accountAddress
            let added = try await live.request(
                "POST", "/v1/spaces/\(id)/members", json: ["identity": .string(other), "role": "reader"])
            #expect(added.status == 201)
            #expect(
                added.json == [
                    "identity": .string(other), "permission": "reader", "role": "reader", "status": "active",
                ])
            let again = try await live.request("POST", "/v1/spaces/\(id)/members", json: ["identity": .string(other)])
            #expect(again.errorCode == "space.already_member")
            let members = try #require(try await live.request("GET", "/v1/spaces/\(id)/members").json?.object)
            #expect(
                Set(members.array("members")?.compactMap { $0.object?.string("identity") } ?? [])
                    == [live.server.accountId, other])
            let before = try await live.request("GET", "/v1/spaces/\(id)").json?.object?.object("push")
            #expect(try await live.request("POST", "/v1/spaces/\(id)/rotate").status == 204)
            let after = try await live.request("GET", "/v1/spaces/\(id)").json?.object?.object("push")
            #expect(before?["encKeyId"] != after?["encKeyId"])
            #expect(try await live.request("DELETE", "/v1/spaces/\(id)/members/\(other)").status == 204)
            #expect(
                try await live.request("DELETE", "/v1/spaces/\(id)/members/\(other)").errorCode
                    == "space.member_not_found")
            #expect(
                try await live.request("DELETE", "/v1/spaces/\(id)/members/x").errorCode
                    == "space.invalid_identity")
            let owner = try await live.request(
                "POST", "/v1/spaces/\(id)/members", json: ["identity": .string(other), "role": "owner"])
            #expect(owner.status == 403)
        }
    }

    @Test func aSpaceTravelsAsAFile() async throws {
        try await withAnyServer { sender in
            try await withAnyServer { receiver in
                let id = try await sender.makeSpace()
                let lines = try await sender.export(id)
                let stranger = try await receiver.request("POST", "/v1/spaces/import", json: ["lines": .array(lines)])
                #expect(stranger.status == 403)
                #expect(stranger.errorCode == "space.not_member")
                let identity: JSONValue = .string(receiver.server.accountId ?? "")
                _ = try await sender.request("POST", "/v1/spaces/\(id)/members", json: ["identity": identity])
                let whole = try await sender.export(id)
                let taken = try await receiver.request("POST", "/v1/spaces/import", json: ["lines": .array(whole)])
                #expect(taken.status == 200)
                #expect(taken.json?.object?.string("spaceId") == id)
                #expect(taken.json?.object?.integer("records") == 2)
                let again = try await receiver.request("POST", "/v1/spaces/import", json: ["lines": .array(whole)])
                #expect(again.json == ["spaceId": .string(id), "records": 0, "changes": 0, "status": "active"])
                let row = try #require(try await receiver.request("GET", "/v1/spaces/\(id)").json?.object)
                #expect(row.string("ownRole") == "writer")
                #expect(row["push"] == (try await sender.request("GET", "/v1/spaces/\(id)").json?.object?["push"]))
                #expect(
                    try await sender.request("GET", "/v1/spaces/\(id)/export?cursor=x").errorCode
                        == "request.invalid_field")
                for bad: JSONValue in [["lines": []], ["lines": [[:]]], ["lines": [["kind": "acl"]]]] {
                    let response = try await receiver.request("POST", "/v1/spaces/import", json: bad)
                    #expect(response.status == 400, "\(response.text)")
                }
            }
        }
    }

    @Test func theProfileIsKept() async throws {
        try await withAnyServer { live in
            let profile = try #require(try await live.request("GET", "/v1/profile").json?.object)
            #expect(profile.string("identity") == live.server.accountId)
            #expect(profile.string("peerId")?.hasPrefix("12D3") == true)
            #expect(profile["name"] == nil)
            #expect(try await live.request("PATCH", "/v1/profile", json: ["name": "Ann"]).status == 204)
            #expect(try await live.request("GET", "/v1/profile").json?.object?.string("name") == "Ann")
            #expect(try await live.request("PATCH", "/v1/profile", json: ["name": ""]).status == 204)
            #expect(try await live.request("GET", "/v1/profile").json?.object?["name"] == nil)
            #expect(try await live.request("PATCH", "/v1/profile", json: [:]).errorCode == "request.missing_field")
        }
    }
}

extension LiveServer {
    /// A space of the server's account.
    func makeSpace(_ name: String = "Space") async throws -> String {
        let response = try await request("POST", "/v1/spaces", json: ["name": .string(name)])
        return try #require(response.json?.object?.string("id"))
    }

    /// Every line of a space's export.
    func export(_ id: String) async throws -> [JSONValue] {
        var lines: [JSONValue] = []
        var cursor: String?
        repeat {
            let query = cursor.map { "?cursor=\($0)" } ?? ""
            let page = try #require(try await request("GET", "/v1/spaces/\(id)/export\(query)").json?.object)
            lines += page.array("lines") ?? []
            cursor = page.string("next")
        } while cursor != nil
        return lines
    }
}
