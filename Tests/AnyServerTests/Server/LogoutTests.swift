import Foundation
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnyServer

/// Whose phone it is after a logout.
@Suite struct LogoutTests {
    private static let token = #"{"platform":"android","token":"phone"}"#

    private func withAccount(
        _ test: (LiveServer, _ key: SigningKey, _ control: [String], _ file: String) async throws -> Void
    ) async throws {
        try await withAnyServer(mode: .managed, push: LiveServer.unreachableNode) { live in
            let key = SigningKey()
            let control = ["\(ControlToken.header): \(try #require(live.server.controlToken).text)"]
            try await login(live, key, control)
            #expect(try await live.request("POST", "/v1/push/token", body: Self.token).status == 204)
            try await test(live, key, control, "data/\(key.publicKey.accountAddress)/push-token.json")
        }
    }

    private func login(_ live: LiveServer, _ key: SigningKey, _ control: [String]) async throws {
        let seed = Data(key.rawBytes()[..<32]).base64EncodedString()
        let body = #"{"accountKey":"\#(seed)"}"#
        #expect(try await live.request("POST", "/v1/auth", headers: control, body: body).status == 200)
    }

    @Test func aLogoutRevokesAlsoLaterWhenTheNodeIsAway() async throws {
        try await withAccount { live, key, control, file in
            #expect(try await live.request("DELETE", "/v1/auth", headers: control).status == 204)
            #expect(try live.folder.text(file) == #"{"revoking":true}"#)
            #expect(live.log.withLock { $0.contains { $0.contains("is told when it is back") } })
            // The same account again, whose run goes on with it.
            try await login(live, key, control)
            #expect(try await live.request("GET", "/v1/push/token").json == ["registered": false])
            #expect(try live.folder.text(file) == #"{"revoking":true}"#)
            #expect(try await live.request("DELETE", "/v1/auth", headers: control).status == 204)
            #expect(try await live.request("DELETE", "/v1/auth", headers: control).status == 204)
            try await login(live, SigningKey(), control)
        }
    }

    @Test func aTokenThatIsToStayStays() async throws {
        try await withAccount { live, _, control, file in
            let unclear = try await live.request("DELETE", "/v1/auth?keepToken=maybe", headers: control)
            #expect(unclear.status == 400)
            #expect(try await live.request("DELETE", "/v1/auth?keepToken=true", headers: control).status == 204)
            #expect(try live.folder.text(file) == Self.token)
        }
    }

    @Test func anotherAccountInItsPlaceAndAStopAreNoLogout() async throws {
        try await withAccount { live, _, control, file in
            let seed = Data(SigningKey().rawBytes()[..<32]).base64EncodedString()
            let body = #"{"accountKey":"\#(seed)","replace":true}"#
            let switched = try await live.request("POST", "/v1/auth", headers: control, body: body)
            #expect(switched.status == 200)
            #expect(try live.folder.text(file) == Self.token)
        }
    }

    @Test func aDamagedTokenFileIsReplacedByANewToken() async throws {
        try await withAccount { live, key, control, file in
            #expect(try await live.request("DELETE", "/v1/auth?keepToken=true", headers: control).status == 204)
            try live.folder.write("{", to: file)
            try await login(live, key, control)
            #expect(try await live.request("POST", "/v1/push/token", body: Self.token).status == 204)
            #expect(try live.folder.text(file) == Self.token)
            let long = String(repeating: "x", count: 2049)
            let body = #"{"platform":"ios","token":"\#(long)"}"#
            #expect(try await live.request("POST", "/v1/push/token", body: body).status == 400)
        }
    }
}
