import Foundation
import TestSupport
import Testing

/// The production network's push node: said when it is used, and out of the tests' reach.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ProductionNodeTests {
    private static let host = "anytype-push-server.anytype.io"

    /// Whatever the environment of who runs the tests says, and in each way to start something.
    @Test func nothingThatTestsStartIsToldOfIt() throws {
        let hostile = [
            "HOME=/home/u", "PATH=/bin", "ANY_PUSH_PEER_ID=12D3KooWMATrdteJNq2YvYhtq3RDeWxq6RVXDAr36MsGd5RJzXDn",
            "ANY_PUSH_ADDRS=yamux://\(Self.host):443", "ANY_DATA_DIR=/home/u/.any", "ANY_NETWORK_NODECONF_PATH=",
            "LD_PRELOAD=/elsewhere.so", "ASAN_OPTIONS=x",
        ]
        for environment in [nil, ["HOME": "/nonexistent"]] {
            let variables = try ToolProcess.variables(environment, own: hostile)
            #expect(
                !variables.contains { $0.contains(Self.host) || $0.hasPrefix("ANY_PUSH") || $0.hasPrefix("ANY_DATA") })
            let network = variables.filter { $0.hasPrefix("ANY_NETWORK_NODECONF_PATH=") }
            #expect(network.count == 1 && network[0].hasSuffix("/Tests/TestSupport/network.yml"))
            #expect(variables.contains("ASAN_OPTIONS=x"))
            guard !ToolProcess.isSanitized else { continue }
            let preload = variables.filter { $0.hasPrefix("LD_PRELOAD=") }
            #expect(preload.count == 1 && preload[0].hasSuffix("/libLoopbackOnly.so"))
            #expect(FileManager.default.fileExists(atPath: String(preload[0].dropFirst("LD_PRELOAD=".count))))
        }
    }

    /// A server that is told of no network uses the node, says so, and still does not get there. A sanitizer's runtime must
    /// come before the guard.
    @Test(.disabled(if: ToolProcess.isSanitized))
    func aServerThatUsesItSaysSoAndDoesNotGetThere() async throws {
        let home = try TemporaryDirectory()
        try await requireGuard(home)
        // Empty is as good as not set: what a hostile environment would have to look like.
        let variables = ["HOME": home.path, "ANY_NETWORK_NODECONF_PATH": ""]
        let server = try ToolProcess(["run", "--addr", "127.0.0.1:0"], keepsErrors: true, environment: variables)
        _ = try await server.line(after: "LISTENING ")
        let status = try await AnyProcess.run(["push", "status"], environment: variables)
        #expect(status.output.contains(Self.host))
        #expect(status.output.contains("\"notice\": \"push goes through Anytype's production push node"))
        let doctor = try await AnyProcess.run(["push", "doctor", "--json"], environment: variables)
        #expect(doctor.status == 1 && doctor.output.contains(Self.host), "\(doctor.output)")
        #expect(!doctor.output.contains("connected"))
        let stop = try await AnyProcess.run(["stop"], environment: variables)
        #expect(stop.status == 0)
        let end = await server.end()
        #expect(end.status == 0)
        let notices = end.errors.split(separator: "\n").filter { $0.contains("production push node") }
        #expect(notices.count == 1 && notices[0].contains("ANY_PUSH_ENABLED=false"), "\(end.errors)")
    }

    /// Shows with an address that nobody has (RFC 5737) that what is started is kept on this machine.
    private func requireGuard(_ home: TemporaryDirectory) async throws {
        let variables = [
            "HOME": home.path, "ANY_PUSH_PEER_ID": "12D3KooWMATrdteJNq2YvYhtq3RDeWxq6RVXDAr36MsGd5RJzXDn",
            "ANY_PUSH_ADDRS": "192.0.2.1:443",
        ]
        let made = try await AnyProcess.run(["init"], environment: variables)
        try #require(made.status == 0)
        let server = try ToolProcess(["run", "--addr", "127.0.0.1:0"], keepsErrors: true, environment: variables)
        _ = try await server.line(after: "LISTENING ")
        let doctor = try await AnyProcess.run(["push", "doctor", "--json"], environment: variables)
        let stop = try await AnyProcess.run(["stop"], environment: variables)
        _ = await server.end()
        try #require(stop.status == 0 && doctor.output.lowercased().contains("not permitted"), "\(doctor.output)")
    }
}
