import AnySyncNet
import AnySyncWire
import Locks
import ProtoWire
import PushAPI
import PushCrypto
import PushNode

extension Attack {
    /// As many notifications as one account can send.
    static let notifyFlood = Attack(
        name: "notify-flood", abstract: "one account notifies 40 devices as fast as it can", kinds: [.tlsYamux, .quic],
        stretch: 3
    ) { site in
        let account = SigningKey()
        let space = AttackSpace()
        // Each notification is work for as many devices, so that the queue fills faster than it empties.
        let loop = try EventLoop()
        for number in 0..<site.scale.count(40) {
            let owner = try AttackPeer(site.node, on: loop)
            try await owner.register("crowd-\(number)", for: [space])
        }
        // Made before, or making them would be what bounds the flood.
        let requests = (0..<site.scale.count(30_000)).map { _ in space.notification(from: account) }
        try await Flood.run(from: account, site) { index in
            index < requests.count ? requests[index] : space.notification(from: account)
        }
    }

    /// One account that is in more spaces than everybody else together.
    static let manySpaces = Attack(
        name: "many-spaces", abstract: "one account notifies 3,000 spaces of its own, whose devices are its own too",
        kinds: [.tlsYamux]
    ) { site in
        let account = SigningKey()
        let spaces = (0..<site.scale.count(3000)).map { _ in AttackSpace() }
        try await AttackPeer(site.node, on: try EventLoop()).register("crowd", for: spaces)
        let requests = (0..<site.scale.count(30_000)).map { spaces[$0 % spaces.count].notification(from: account) }
        try await Flood.run(from: account, site) { index in
            index < requests.count ? requests[index] : spaces[index % spaces.count].notification(from: account)
        }
    }
}

/// Notifications of one account, over several connections and streams at once.
private enum Flood {
    /// The most that one round sends.
    private static let maximum = 400_000

    static func run(
        from account: SigningKey, _ site: Site, _ request: @escaping @Sendable (Int) -> [UInt8]
    ) async throws {
        let loop = try EventLoop()
        let next = SystemLock(0)
        site.begun()
        await withDiscardingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    while !Task.isCancelled, next.withLock({ $0 }) < maximum {
                        await send(from: account, site, loop, next, request)
                        try? await Task.sleep(for: .milliseconds(50))
                    }
                }
            }
        }
    }

    /// Sends over one connection until it is lost.
    private static func send(
        from account: SigningKey, _ site: Site, _ loop: EventLoop, _ next: SystemLock<Int>,
        _ request: @escaping @Sendable (Int) -> [UInt8]
    ) async {
        guard let peer = try? AttackPeer(site.node, on: loop, account: account), let connection = try? await peer.dial()
        else { return site.tally.add("dials refused") }
        let client = AttackPeer.client(connection, streams: 10)
        await withDiscardingTaskGroup { group in
            for _ in 0..<10 {
                group.addTask {
                    while !Task.isCancelled, await connection.status.closed == nil {
                        let index = next.withLock { next in
                            next += 1
                            return next - 1
                        }
                        guard index < maximum else { return }
                        do {
                            _ = try await client.call(PushRPC.notify.rawValue, request(index), timeout: .seconds(10))
                            site.tally.add("accepted")
                        } catch CallError.rpc {
                            site.tally.add("refused")
                        } catch {
                            site.tally.add("lost")
                        }
                    }
                }
            }
        }
    }
}
