import AnySyncNet
import PushCrypto

extension Attack {
    /// Peers that are who they say they are, and want nothing.
    static let idlePeers = Attack(
        name: "idle-peers",
        abstract: "1,100 proven peers that ask for nothing, against a soft limit of 1,024 descriptors",
        kinds: [.tlsYamux], descriptors: .soft(1024)
    ) { site in
        try await Crowd.gather(site, of: site.scale.count(1100)) { try AttackPeer(site.node, on: $0) }
    }

    /// The same account again and again.
    static let oneAccount = Attack(
        name: "one-account", abstract: "4,096 connections of one account from one address", kinds: [.tlsYamux]
    ) { site in
        let account = SigningKey()
        try await Crowd.gather(site, of: site.scale.count(4096)) {
            try AttackPeer(site.node, on: $0, account: account)
        }
    }
}

/// Connections that are made and kept, and made again when they are lost.
private enum Crowd {
    static func gather(
        _ site: Site, of count: Int, _ peer: @escaping @Sendable (EventLoop) throws -> AttackPeer
    ) async throws {
        let loop = try EventLoop()
        // Most are there before anybody measures: it is about what they hold, and not about the storm of their coming.
        let first = ContinuousClock.now.advanced(by: .seconds(20))
        let workers = min(16, count)
        await withDiscardingTaskGroup { group in
            for worker in 0..<workers {
                group.addTask {
                    var kept: [any Connection] = []
                    let share = count / workers + (worker < count % workers ? 1 : 0)
                    while !Task.isCancelled {
                        var open: [any Connection] = []
                        for connection in kept where await connection.status.closed == nil { open.append(connection) }
                        site.tally.add("connections lost", kept.count - open.count)
                        kept = open
                        if kept.count < share {
                            do {
                                kept.append(try await peer(loop).dial())
                                site.tally.add("connections made")
                            } catch {
                                site.tally.add("dials refused")
                                try? await Task.sleep(for: .milliseconds(200))
                            }
                        } else {
                            try? await Task.sleep(for: .milliseconds(200))
                        }
                    }
                }
            }
            group.addTask {
                while ContinuousClock.now < first, !Task.isCancelled,
                    site.tally["connections made"] + site.tally["dials refused"] < count
                { try? await Task.sleep(for: .milliseconds(20)) }
                site.begun()
            }
        }
    }
}
