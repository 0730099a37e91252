import AnySyncNet
import FoundationEssentials
import Locks
import ProtoWire
import PushAPI
import PushCrypto
import PushNode

/// Someone whom the attack is not about: sends notifications at a steady pace to a device that is subscribed, while
/// fresh clients come and go.
final class HonestClient: Sendable {
    /// The token of its device.
    static let token = "watched-honest"

    private let node: NodeAddress
    private let loop: EventLoop
    private let sender: PushNodeClient
    private let account = SigningKey()
    private let keys = SpacePushKeys(spaceKey: SigningKey(), encryptionKey: SymmetricKey())
    private let composer: SystemLock<NotificationComposer>
    private let number = SystemLock(0)

    /// Registers a device for what will be sent.
    init(_ node: NodeAddress) async throws {
        self.node = node
        loop = try EventLoop()
        composer = SystemLock(NotificationComposer(account: account))
        sender = try Self.client(of: account, node, loop)
        let owner = try Self.client(of: SigningKey(), node, loop)
        try await sender.createSpace(keys)
        try await owner.setToken(Self.token, platform: .android)
        try await owner.subscribeAll([keys.sign(TopicName.chats)])
        await owner.close()
    }

    private static func client(of account: SigningKey, _ node: NodeAddress, _ loop: EventLoop) throws -> PushNodeClient
    {
        let identity = LocalIdentity(account: account, peer: SigningKey(), clientVersion: "push-attack")
        let endpoint = try Endpoint(eventLoop: loop, identity: identity)
        let dialer = Dialer(endpoint, transports: try AttackPeer.transports(endpoint))
        return PushNodeClient(account: account, node: node.location, dialer: dialer)
    }

    func stop() async {
        await sender.close()
        await loop.shutdown()
    }

    /// Sends for so long, each notification when it is due and not when the one before was answered.
    ///
    /// - Parameter spool: where deliveries are seen, waited for a little when they are late.
    func measure(for time: Duration, rate: Int, _ spool: SpoolWatch) async throws -> Phase {
        let phase = SystemLock(Phase())
        let sent = SystemLock<[String: ContinuousClock.Instant]>([:])
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.receiveNewcomers(until: start.advanced(by: time), phase) }
            let count = Int(time / .seconds(1) * Double(rate))
            for index in 0..<count {
                let due = start.advanced(by: .seconds(1) * index / rate)
                try await Task.sleep(until: due)
                let notification = try compose()
                group.addTask { await self.send(notification, due, phase, sent) }
            }
            try await group.waitForAll()
        }
        try await awaitDeliveries(of: sent.withLock { $0 }, phase, spool)
        return phase.withLock { $0 }
    }

    private func send(
        _ notification: OutgoingNotification, _ due: ContinuousClock.Instant, _ phase: SystemLock<Phase>,
        _ sent: SystemLock<[String: ContinuousClock.Instant]>
    ) async {
        do throws(PushNodeError) {
            try await sender.send(notification)
            let time = (ContinuousClock.now - due) / .milliseconds(1)
            let payload = Data(notification.request.message?.payload ?? []).base64EncodedString()
            phase.withLock { $0.times.append(time) }
            sent.withLock { $0[payload] = due }
        } catch {
            phase.withLock { $0.refused["\(error)", default: 0] += 1 }
        }
    }

    private func compose() throws -> OutgoingNotification {
        let number = number.withLock { number in
            number += 1
            return number
        }
        let payload = ChatPayload(
            spaceId: "bafyreiaxelwz3fkqvqcplaqqjefh6hla6v43rtiiu2jho4upmxvkpj2qku.2lcu0ysq9k3o1", isOneToOne: false,
            senderId: WireString(account.publicKey.accountAddress),
            newMessage: ChatPayload.NewMessage(
                chatId: "bafyreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
                msgId: WireString("message-\(number)"),
                spaceName: "Lighthouse", chatName: "General", senderName: "Alice", text: "The lamp is lit again"))
        return try composer.withLock { try $0.newMessage(payload, mentions: [], keys: keys) }
    }

    /// Twice a second, someone who was not there before dials, asks and leaves.
    private func receiveNewcomers(until end: ContinuousClock.Instant, _ phase: SystemLock<Phase>) async throws {
        while ContinuousClock.now < end {
            let client = try Self.client(of: SigningKey(), node, loop)
            do throws(PushNodeError) {
                _ = try await client.subscriptions()
                phase.withLock { $0.newcomers += 1 }
            } catch {
                phase.withLock { $0.turnedAway["\(error)", default: 0] += 1 }
            }
            await client.close()
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private func awaitDeliveries(
        of sent: [String: ContinuousClock.Instant], _ phase: SystemLock<Phase>, _ spool: SpoolWatch
    ) async throws {
        let deadline = ContinuousClock.now.advanced(by: Self.patience)
        while true {
            var lags: [String: Double] = [:]
            for arrival in spool.all where lags[arrival.payload] == nil {
                if let due = sent[arrival.payload] { lags[arrival.payload] = (arrival.time - due) / .milliseconds(1) }
            }
            if lags.count == sent.count || ContinuousClock.now > deadline {
                return phase.withLock { phase in
                    phase.lags = Array(lags.values)
                    phase.undelivered = sent.count - lags.count
                }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// How long deliveries may be late before they count as not made.
    private static let patience = Duration.seconds(5)
}
