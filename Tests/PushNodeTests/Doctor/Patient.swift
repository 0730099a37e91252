import AnySyncNet
import PushCrypto
import PushNode

/// An account with a space and a node, all well.
struct Patient {
    let node: TestNode
    let host: HostedAccount
    let space: MemberedSpace

    static func run(
        at address: String = "tls+yamux://127.0.0.1:0", token: Bool = true, _ body: (Patient) async throws -> Void
    ) async throws {
        let node = try await TestNode(at: address)
        let host = try await HostedAccount(at: node, phone: "a secret token")
        let patient = Patient(node: node, host: host, space: try MemberedSpace(owner: host.account))
        host.directory.put(patient.space, isOwned: true)
        var failure: (any Error)?
        do {
            try await host.push.start()
            if token { try await host.register() }
            await host.settle()
            try await body(patient)
        } catch {
            failure = error
        }
        await host.push.stop()
        await node.stop()
        if let failure { throw failure }
    }

    var report: DoctorReport {
        get async { await PushDoctor(host.push).examine() }
    }

    /// The report of an account without spaces that was started with these addresses of a node.
    static func report(
        at addresses: [Address], peer: PeerId = PeerId(publicKey: SigningKey().publicKey),
        limits: PushDoctor.Limits = PushDoctor.Limits(), _ change: (inout PushOptions) -> Void = { _ in }
    ) async throws -> DoctorReport {
        let node = PushNodeLocation(peerId: peer, addresses: addresses)
        var options = PushOptions(account: SigningKey(), device: SigningKey(), node: node)
        change(&options)
        let push = PushAccount(options, directory: MemoryDirectory(), tokens: MemoryPersistence())
        try await push.start()
        let report = await PushDoctor(push, limits: limits).examine()
        await push.stop()
        return report
    }
}
