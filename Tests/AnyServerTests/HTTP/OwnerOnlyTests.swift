import Glibc
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

/// What keeps other users of the machine out: a socket that only its owner may connect to, and a token.
@Suite struct OwnerOnlyTests {
    @Test func aUnixSocketIsItsOwnersAndGoesWithTheServer() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("any.sock")
        let address = try ListenAddress("unix:\(path)")
        try await withServer(at: address) { server in
            #expect(server.server.address == address && "\(address)" == "unix:\(path)")
            #expect(folder.mode("any.sock") == 0o600)
            let response = try await server.request("GET", "/v1/health")
            #expect(response.status == 200)
            let router = try TestAPI().router()
            await #expect(throws: HTTPServerError.socketPathTaken(path), "one that is served") {
                try await HTTPServer.start(at: address, router: router)
            }
        }
        #expect(try folder.names() == [])
    }

    @Test func whatAKilledServerLeftGivesWayAndNothingElseDoes() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("any.sock")
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var name = UnixSocketFile(path: path).name
        let status = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        close(descriptor)
        #expect(status == 0)
        try await withServer(at: ListenAddress("unix:\(path)")) { server in
            let response = try await server.request("GET", "/v1/health")
            #expect(response.status == 200)
        }
        try folder.write("notes", to: "any.sock")
        let router = try TestAPI().router()
        await #expect(throws: HTTPServerError.socketPathTaken(path)) {
            try await HTTPServer.start(at: ListenAddress("unix:\(path)"), router: router)
        }
        #expect(try folder.text("any.sock") == "notes")
    }

    @Test(arguments: ["", "any.sock", "/" + String(repeating: "x", count: 107), "/a\u{0}b"])
    func otherPathsAreRefused(path: String) {
        #expect(throws: HTTPServerError.invalidSocketPath(path)) { try ListenAddress("unix:\(path)") }
    }

    @Test func whoDoesNotShowTheTokenIsRefusedEverything() async throws {
        let token = ClientToken(ControlToken())
        let api = TestAPI()
        api.change { $0.clientToken = token }
        try await withServer(api: api) { server in
            let wrong = [
                [], ["Authorization: Bearer x"], ["Authorization: \(token.header)x"], ["Authorization: Basic x"],
                ["Authorization: \(token.header)", "Authorization: \(token.header)"],
            ]
            for headers in wrong {
                for target in ["/v1/health", "/v1/push/token", "/v1/openapi.json", "/v1/nothing"] {
                    let response = try await server.request("GET", target, headers: headers)
                    #expect(response.status == 401 && response.errorCode == "auth.token_required", "\(headers)")
                    #expect(response.headers["WWW-Authenticate"] == "Bearer")
                }
            }
            let right = try await server.request("GET", "/v1/health", headers: ["Authorization: \(token.header)"])
            #expect(right.status == 200)
        }
    }

    @Test func aTokensFileIsMadeOnceAndReadByClients() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("token")
        #expect(try ClientToken.read(path) == nil)
        let made = try ClientToken.open(path)
        #expect(folder.mode("token") == 0o600)
        #expect(try ClientToken.open(path).header == made.header)
        #expect(try ClientToken.read(path)?.header == made.header)
        for content in ["", "short\n", "two lines of text\nand more of it\n", "with spaces in it, many\n"] {
            try folder.write(content, to: "token")
            #expect(throws: ClientToken.Failure.damaged(path: path)) { try ClientToken.open(path) }
        }
        try folder.write("0123456789abcdef\n", to: "token", mode: 0o644)
        #expect(throws: ClientToken.Failure.self, "others may read it") { try ClientToken.open(path) }
    }
}
