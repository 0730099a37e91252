import PushAPI
import PushCrypto
import PushNode
import PushNodeServer

/// The node's checks of one Notify with four topics that it has seen before.
enum NodePath {
    static func run(_ report: inout Report) async throws {
        let sender = BenchSender()
        let request = try sender.notification().request
        let bytes = request.encoded()
        let topics = request.topics?.topics ?? []
        guard let message = request.message else { return }
        let verifier = TopicVerifier(capacity: 1024)
        _ = try await verifier.verify(topics)
        let identity = sender.account.publicKey
        let samples = try await measure(
            rounds: 200, batch: 20,
            [
                { keep(identity.isValidSignature(message.signature, for: message.payload)) },
                {
                    let request = try NotifyRequest(bytes: bytes)
                    keep(try await verifier.verify(request.topics?.topics ?? []))
                    keep(
                        identity.isValidSignature(request.message?.signature ?? [], for: request.message?.payload ?? [])
                    )
                },
            ])
        report.add(
            Row(name: "node: verify Notify, 4 known topics", samples[1], over: samples[0].median, "verify", budget: 1.5)
        )
    }
}
