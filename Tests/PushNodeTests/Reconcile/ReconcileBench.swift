import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport
import Testing

/// A reconciler between a fake account and a fake node.
struct ReconcileBench {
    let account = SigningKey()
    let clock = VirtualClock()
    let source = FakeSource()
    let node: FakeNode
    let tokens: DeviceTokenStore?
    let reconciler: TopicReconciler

    init(token: DeviceToken? = nil, timing: ReconcileTiming = ReconcileTiming()) {
        node = FakeNode(clock: clock)
        let (node, clock) = (node, clock)
        tokens = token.map {
            DeviceTokenStore(persistence: MemoryPersistence(.registered($0)), node: node, clock: clock)
        }
        reconciler = TopicReconciler(
            identity: account.publicKey, source: source, node: node, tokens: tokens, clock: clock,
            timing: timing
        )
    }

    /// Starts, and waits for the first round to end.
    func start() async {
        await tokens?.start()
        await reconciler.start()
        await rounds(1)
        await clock.sleepers(1)
    }

    func shutdown() async {
        await reconciler.shutdown()
        await tokens?.shutdown()
        // What a test put there may hold this bench.
        source.intercept(nil)
        source.linger(nil)
    }

    func rounds(_ count: UInt64) async {
        await eventually { await reconciler.status.rounds >= count }
    }

    var last: ReconcileStatus.Round {
        get async { await reconciler.status.last ?? ReconcileStatus.Round() }
    }

    var isInStep: Bool {
        get { node.topics == source.desired(for: account.publicKey) }
    }

    /// The names of the topics of a space in one sent set.
    func names(of space: String, in set: [SignedTopic]?) -> [String] {
        let key = source.keysNow(of: space)?.spaceKey.publicKey
        return (set ?? []).filter { $0.spaceKey == key }.map(\.name.string)
    }

    var me: String { account.publicKey.accountAddress }
    func chat(_ id: String) -> String { "chats/\(GroupId(chatId: id))" }
    func mine(_ id: String) -> String { "\(chat(id))/\(me)" }
}
