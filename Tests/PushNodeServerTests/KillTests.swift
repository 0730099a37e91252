import AnySyncNet
import Foundation
import Locks
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import PushNodeServer
import TestSupport
import Testing

/// A node that is killed while it works, again and again: what it has answered Ok to reaches every phone.
@Suite(.timeLimit(.minutes(5))) struct KillTests {
    @Test(arguments: TestTransports.kinds) func whatWasAcceptedSurvivesKilling(kind: ConnectionKind) async throws {
        let directory = try TemporaryDirectory()
        let keys = try SpacePushKeys(firstMetadataKey: SigningKey(), readKey: SymmetricKey())
        let tokens = ["phone 0", "phone 1", "phone 2"]
        let accepted = Accepted()
        for round in 0..<4 {
            let node = try await NodeProcess.start(dataDirectory: directory.path, listening: kind)
            if round == 0 {
                for token in tokens {
                    let receiver = try TestClient(of: node.location)
                    try await receiver.client.setToken(token, platform: .ios)
                    try await receiver.client.subscribeAll([keys.sign("chats")])
                    await receiver.close()
                }
            }
            let sender = try TestClient(of: node.location)
            let kill = node.kill
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<6 {
                    group.addTask {
                        // Until the node is gone.
                        for number in 0... {
                            let payload = [UInt8(round), UInt8(lane), UInt8(number >> 8), UInt8(number & 0xff)]
                            guard (try? await sender.notify(payload, [keys.sign("chats")])) != nil else { return }
                            guard accepted.add(payload) >= (round + 1) * 40 else { continue }
                            kill()
                            // Over QUIC nothing tells at once that a peer is gone.
                            await sender.client.close()
                        }
                    }
                }
            }
            await sender.close()
            await node.wait()
        }
        let node = try await NodeProcess.start(dataDirectory: directory.path, listening: kind)
        // A node that answers has got as far as listening to signals too.
        let client = try TestClient(of: node.location)
        try await client.client.revokeToken()
        await client.close()
        let status = await node.stop()
        #expect(status == 0)

        let path = directory.file("spool/" + SpoolForwarder.fileName)
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        var reached: [Data: Set<String>] = [:]
        var numbers: [Data: Set<Int>] = [:]
        for line in text.split(separator: "\n") {
            // A killed node may have cut a line short.
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)) else { continue }
            reached[line.payload, default: []].insert(line.token)
            numbers[line.payload, default: []].insert(line.id)
        }
        let payloads = accepted.payloads
        #expect(payloads.count >= 160)
        for payload in payloads {
            #expect(reached[Data(payload)] == Set(tokens), "\(payload)")
        }
        #expect(numbers.values.allSatisfy { $0.count == 1 })
    }

    private struct Line: Decodable {
        let id: Int
        let token: String
        let data: [String: String]

        var payload: Data { Data(base64Encoded: data["x-any-payload"] ?? "") ?? Data() }
    }
}

private final class Accepted: Sendable {
    private let state = SystemLock<Set<[UInt8]>>([])

    var payloads: Set<[UInt8]> { state.withLock { $0 } }

    /// Adds a payload and says how many there are.
    func add(_ payload: [UInt8]) -> Int {
        state.withLock { state in
            state.insert(payload)
            return state.count
        }
    }
}
