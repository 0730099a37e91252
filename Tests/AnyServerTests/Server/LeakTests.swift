import Glibc
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

/// In a process of its own, where nothing else opens or starts anything.
@Suite struct LeakTests {
    @Test func startsAndStopsLeaveNoDescriptorAndNoThread() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryDirectory()
            let root = folder.path("data")
            _ = try Wallet.create(in: DataRoot(path: root), passkey: nil)
            func cycle(graceful: Bool) async throws {
                let options = try LiveServer.options(in: root, push: LiveServer.unreachableNode)
                let server = try await AnyServer.start(options)
                let listen = try ListenAddress(server.address)
                let client = try RawClient(listen)
                await client.send(TestServer.text("POST", "/v1/spaces", body: "{}"))
                #expect(try await client.response().status == 201)
                let subscriber = try RawClient(listen)
                await subscriber.send(TestServer.text("POST", "/v1/spaces/query/subscribe", body: "{}"))
                _ = try await subscriber.receive("event: snapshot")
                await server.stop(graceful: graceful)
            }
            func count() throws -> (descriptors: Int, threads: Int) {
                (try Folder.names(in: "/proc/self/fd").count, try Folder.names(in: "/proc/self/task").count)
            }
            // What the runtime makes once, it keeps.
            for number in 0..<4 { try await cycle(graceful: number.isMultiple(of: 2)) }
            let before = try count()
            for number in 0..<12 { try await cycle(graceful: number.isMultiple(of: 2)) }
            // A thread that was told to end is on its way.
            try await eventually {
                let now = try count()
                return now.descriptors <= before.descriptors && now.threads <= before.threads
            }
            let after = try count()
            #expect(after.descriptors <= before.descriptors, "\(before) \(after)")
            #expect(after.threads <= before.threads, "\(before) \(after)")
        }
    }
}
