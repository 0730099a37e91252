import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnyServer

@Suite struct TokenRouteTests {
    private static let disabled =
        "push notifications are not configured on this server (push.peerId / push.addrs)"

    /// The contract's order: the body as JSON, unknown fields, platform, token, and only then whether push is on.
    @Test func faultsAreSaidInTheContractsOrder() async throws {
        try await withAnyServer { live in
            for (body, status, code, message) in [
                ("", 400, "request.missing_field", "platform required"),
                ("[]", 400, "request.bad_json", "the body must be a JSON object, got an array"),
                (
                    #"{"deviceToken":"t"}"#, 400, "request.unknown_field",
                    #"unknown field "deviceToken"; accepted fields: platform, token"#
                ),
                (#"{"token":"t"}"#, 400, "request.missing_field", "platform required"),
                (#"{"platform":"","token":"t"}"#, 400, "request.missing_field", "platform required"),
                (#"{"platform":"windows"}"#, 400, "request.invalid_field", "platform must be ios or android"),
                (#"{"platform":"ios"}"#, 400, "request.missing_field", "token required"),
                (#"{"platform":"ios","token":""}"#, 400, "request.missing_field", "token required"),
                (#"{"platform":"ios","token":"t"}"#, 409, "push.disabled", Self.disabled),
            ] {
                let response = try await live.request("POST", "/v1/push/token", body: body)
                #expect(response.status == status)
                #expect(response.errorCode == code)
                #expect(response.errorMessage == message)
            }
            let invalid = try await live.request("POST", "/v1/push/token", body: #"{"platform":"windows"}"#)
            #expect(invalid.errorDetails?.string("platform") == "windows")
        }
    }

    @Test func withoutPushNothingOfItIsThere() async throws {
        try await withAnyServer { live in
            for (method, target) in [
                ("GET", "/v1/push/token"), ("DELETE", "/v1/push/token"), ("GET", "/v1/push/subscriptions"),
            ] {
                let response = try await live.request(method, target)
                #expect(response.status == 409)
                #expect(response.errorCode == "push.disabled")
                #expect(response.errorMessage == Self.disabled)
            }
            let status = try #require(try await live.request("GET", "/v1/push/status").json?.object)
            #expect(status.bool("enabled") == false)
            #expect(status["node"] == nil)
        }
    }

    @Test func aTokenIsKeptHereWhateverTheNodeSays() async throws {
        try await withAnyServer(push: LiveServer.unreachableNode) { live in
            #expect(try await live.request("GET", "/v1/push/token").json == ["registered": false])
            let body = #"{"platform":"android","token":"secret-device-token"}"#
            #expect(try await live.request("POST", "/v1/push/token", body: body).status == 204)
            #expect(
                try await live.request("GET", "/v1/push/token").json
                    == ["registered": true, "platform": "android", "confirmed": false])
            let file = "data/\(try #require(live.server.accountId))/push-token.json"
            #expect(live.folder.mode(file) == 0o600)
            #expect(try live.folder.text(file).contains("secret-device-token"))
            let status = try #require(try await live.request("GET", "/v1/push/status").json?.object)
            #expect(status.bool("enabled") == true)
            #expect(status.object("token")?.bool("registered") == true)
            #expect(status.object("token")?.bool("forwarded") == false)
            #expect(!"\(status)".contains("secret-device-token"))
            #expect(try await live.request("DELETE", "/v1/push/token").status == 204)
            #expect(try await live.request("GET", "/v1/push/token").json == ["registered": false])
            #expect(try !live.folder.text(file).contains("secret-device-token"))
            #expect(!live.log.withLock { $0.contains { $0.contains("secret-device-token") } })
        }
    }

    @Test func aNodeThatDoesNotAnswerIsAnInternalError() async throws {
        try await withAnyServer(push: LiveServer.unreachableNode) { live in
            let response = try await live.request("GET", "/v1/push/subscriptions")
            #expect(response.status == 500)
            #expect(response.errorCode == "internal")
            #expect(response.errorMessage == "push operation failed")
            let lines = live.log.withLock { $0.filter { $0.contains("push operation failed: ") } }
            #expect(lines.count == 1 && lines[0].contains("/v1/push/subscriptions"))
        }
    }

    @Test func theDoctorSaysWhyThereIsNothing() async throws {
        try await withAnyServer { live in
            let report = try #require(try await live.request("GET", "/v1/push/doctor").json?.object)
            #expect(report.bool("ok") == false)
            let stages = (report.array("stages") ?? []).compactMap(\.object)
            // Push is off: one line.
            #expect(stages.count == 1 && report["notChecked"] == nil)
            #expect(stages[0].string("name") == "configuration")
            #expect(stages[0].string("status") == "fail")
            #expect(stages[0].string("fix") != nil)
            let details = try #require(stages[0].object("details"))
            #expect(details.names.starts(with: ["push.enabled", "push.peerId", "push.addrs", "network"]))
            #expect(details.string("push.peerId") == "not set (default)")
        }
    }

    @Test func theDoctorTriesTheNodeAndChangesNothing() async throws {
        try await withAnyServer(push: LiveServer.unreachableNode) { live in
            let report = try #require(try await live.request("GET", "/v1/push/doctor").json?.object)
            let stages = (report.array("stages") ?? []).compactMap(\.object)
            let byName = Dictionary(uniqueKeysWithValues: stages.map { ($0.string("name") ?? "", $0.string("status")) })
            #expect(byName["configuration"] == "ok")
            #expect(byName["connect"] == "fail")
            #expect(byName["token"] == "warning")
            #expect(report.array("notChecked")?.isEmpty == false)
            #expect(try await live.request("GET", "/v1/push/token").json == ["registered": false])
        }
    }

    @Test func noAnswerNamesAFolder() async throws {
        try await withAnyServer(push: LiveServer.unreachableNode) { live in
            let account = try #require(live.server.accountId)
            try live.folder.write("damaged", to: "data/\(account)/push-token.json")
            let body = #"{"platform":"ios","token":"t"}"#
            for (method, target) in [
                ("POST", "/v1/push/token"), ("GET", "/v1/push/status"), ("GET", "/v1/push/doctor"),
            ] {
                let response = try await live.request(method, target, body: method == "POST" ? body : nil)
                #expect(!response.text.contains(live.folder.path), "\(target): \(response.text)")
            }
        }
    }
}
