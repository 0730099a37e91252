import Locks
import PushCrypto
import TestSupport
import Testing

@testable import PushNode

/// Random accounts, settings, failures of every call, writes at any moment and restarts: no chat is ever unmuted, and
/// once the failures end the node is brought to hold what it should.
@Suite(.timeLimit(.minutes(2))) struct ReconcilePropertyTests {
    @Test(arguments: 0..<UInt64(50)) func noFailureUnmutesAndAllIsWellInTheEnd(seed: UInt64) async throws {
        try await play(ReconcileWorld(seed: seed), seed: seed)
    }

    /// The same with spaces that come from a directory, and keys from their ACL logs.
    @Test(arguments: 100..<UInt64(125)) func noFailureOfADirectoryUnmutesEither(seed: UInt64) async throws {
        let world = ReconcileWorld(seed: seed)
        try world.readThroughDirectory()
        try await play(world, seed: seed)
    }

    private func play(_ world: ReconcileWorld, seed: UInt64) async throws {
        try await RandomOrder.run(seed: seed) { order in
            try OwnedTasks.$executor.withValue(order.executor) { try Self.play(world, order, seed) }
        }
    }

    private static func play(_ world: ReconcileWorld, _ order: RandomOrder, _ seed: UInt64) throws {
        try order.finish { await world.start() }
        for _ in 0..<600 {
            try order.finish { await world.step() }
            order.run(world.random(0...60))
            world.passSomeTime()
        }
        #expect(world.witness.violations == [], "seed \(seed)")
        #expect(world.witness.sets > 8, "seed \(seed): too little was sent to see anything")

        world.endFailures()
        var turns = 0
        // Two hours: a node that lost its state is found out within one.
        while turns < 720, try !order.finish({ await world.isInStep }) {
            pass(.seconds(10), world, order)
            turns += 1
        }
        let standing = try order.finish { await world.standing }
        #expect(turns < 720, "seed \(seed): not in step after the failures: \(standing)")
        // Nor does anything that is still on its way bring it out of step.
        for _ in 0..<4 { pass(.seconds(20), world, order) }
        #expect(try order.finish { await world.isInStep }, "seed \(seed): brought out of step")
        #expect(world.witness.violations == [], "seed \(seed)")
        try order.finish { await world.shutdown() }
        order.run()
        #expect(world.clock.sleeperCount == 0, "seed \(seed)")
    }

    private static func pass(_ duration: Duration, _ world: ReconcileWorld, _ order: RandomOrder) {
        world.clock.advance(by: duration)
        order.run()
    }
}

/// An account that changes and a node that fails, at random.
private final class ReconcileWorld: Sendable {
    let clock = VirtualClock()
    let source = FakeSource()
    let node: FakeNode
    let witness: UnmuteWitness

    private let account = SigningKey()
    private let spaces = (0..<4).map { "s\($0)" }
    private let state: SystemLock<State>

    private struct State {
        var generator: SeededGenerator
        var isFailing = true
        var reconciler: TopicReconciler?
        var chats: [String: [String]] = [:]
        var nextChat = 0
        var unlistable: Set<String> = []
        var directory: FakeDirectory?
    }

    init(seed: UInt64) {
        node = FakeNode(clock: clock)
        witness = UnmuteWitness(identity: account.publicKey)
        state = SystemLock(State(generator: SeededGenerator(seed: seed)))
        for space in spaces {
            source.put(space, isOwned: Int(seed) % 3 == 0, isOneToOne: space == "s3")
        }
    }

    /// Lets the reconciler read the same spaces by way of a directory.
    func readThroughDirectory() throws {
        var logs: [String: MemberedSpace] = [:]
        for space in spaces {
            let log = try MemberedSpace(owner: account, id: space)
            for _ in 0..<random(0...3) { try log.rotate() }
            source.setKeys(try log.keys, of: space)
            logs[space] = log
        }
        state.withLock { [logs] in $0.directory = FakeDirectory(source: source, logs: logs) }
    }

    func start() async {
        for space in spaces { for _ in 0..<random(0...4) { addChat(to: space) } }
        source.observe { [witness] in witness.sees($0) }
        source.intercept { [unowned self] in try await interfere(with: $0) }
        source.linger { [unowned self] in await disturb($0) }
        let keys = Dictionary(
            uniqueKeysWithValues: spaces.compactMap { space in
                source.keysNow(of: space).map { ($0.spaceKey.publicKey, space) }
            })
        node.observe { [witness, keys] call in
            if case .subscribeAll(let set) = call { witness.sees(set, keys: keys) }
        }
        node.decide { [unowned self] _ in reply() }
        await launch()
    }

    /// Something happens.
    func step() async {
        switch random(0...99) {
        case 0..<14: await writeChatMode()
        case 14..<20: await writeSpaceMode()
        case 20..<26: changeElsewhere()
        case 26..<30: changeMembership()
        case 30..<32: await restart()
        case 32..<33: node.loseState()
        case 33..<60: reconciler.tokenChanged()
        default: break
        }
    }

    func passSomeTime() {
        clock.advance(by: chance(0.03) ? .seconds(random(10...400)) : .milliseconds(random(0...1000)))
    }

    func endFailures() {
        state.withLock { $0.isFailing = false }
        source.intercept(nil)
        source.linger(nil)
        node.decide(nil)
        reconciler.spaceListChanged()
    }

    var isInStep: Bool {
        get async {
            // A round that has begun while things failed may still end badly.
            let status = await reconciler.status
            guard !status.isRunning, status.last?.isLanded == true else { return false }
            return node.topics == source.desired(for: account.publicKey) && unregistered.isEmpty
        }
    }

    /// What keeps it out of step.
    var standing: String {
        get async {
            let desired = source.desired(for: account.publicKey)
            return """
                missing \(desired.subtracting(node.topics).count), surplus \(node.topics.subtracting(desired).count), \
                unregistered \(unregistered), \(await reconciler.status)
                """
        }
    }

    func shutdown() async {
        await reconciler.shutdown()
        await node.dropConnection(landing: false)
        source.intercept(nil)
        node.decide(nil)
    }

    // MARK: What goes wrong

    private func interfere(with call: FakeSource.Call) async throws {
        guard state.withLock({ $0.isFailing }) else { return }
        await disturb(call)
        try Task.checkCancellation()
        let isFailing: Bool
        switch call {
        case .spaces: isFailing = chance(0.05)
        case .keys: isFailing = chance(0.03)
        case .chats(let space): isFailing = isUnlistable(space)
        }
        if isFailing { throw FakeSource.Unreadable() }
    }

    /// What happens before a call is answered, and while the answer is on its way.
    private func disturb(_ call: FakeSource.Call) async {
        guard state.withLock({ $0.isFailing }) else { return }
        if chance(0.05) { try? await clock.sleep(for: .milliseconds(random(1...3000))) }
        if case .chats(let space) = call, chance(0.06) { await writeChatMode(in: space) }
        if chance(0.02) { await writeChatMode() }
        if chance(0.04) { changeElsewhere() }
    }

    // A space that can not be listed stays so for a while, as one that is being loaded does.
    private func isUnlistable(_ space: String) -> Bool {
        state.withLock { state in
            let isUnlistable = state.unlistable.contains(space)
            if state.generator.chance(isUnlistable ? 0.4 : 0.12) {
                if isUnlistable { state.unlistable.remove(space) } else { state.unlistable.insert(space) }
            }
            return state.unlistable.contains(space)
        }
    }

    private func reply() -> FakeNode.Reply {
        let delay = chance(0.3) ? Duration.milliseconds(random(1...4000)) : .zero
        let late = Duration.milliseconds(random(0...55_000))
        return switch random(0...19) {
        case 0: .failure(.unreachable(reason: "down"))
        case 1: .failure(.failed(code: 1200, text: "unexpected"))
        case 2: FakeNode.Reply(error: .interrupted(reason: "cut"), delay: delay, landing: chance(0.5) ? late : nil)
        case 3: FakeNode.Reply(error: .malformedAnswer, delay: delay)
        case 4: FakeNode.Reply(error: .deadlineExceeded, delay: .seconds(10), landing: chance(0.5) ? late : nil)
        case 5: chance(0.3) ? .silence(landing: chance(0.5) ? late : nil) : .ok
        default: FakeNode.Reply(delay: delay)
        }
    }

    // MARK: What changes

    private func writeChatMode(in space: String? = nil) async {
        guard let (space, chat) = randomChat(in: space ?? spaces[random(0...3)]) else { return }
        let mode = randomMode()
        let number = set(chat, of: space, to: mode)
        reconciler.chatModeWritten(in: space)
        witness.acknowledge(chat, number)
    }

    private func writeSpaceMode() async {
        let space = spaces[random(0...3)]
        let mode = randomMode()
        let number = witness.changes(space, to: mode)
        source.setMode(mode, of: space)
        reconciler.spaceModeWritten()
        witness.acknowledge(space, number)
    }

    /// Another device changes something, and this one hears of it or does not.
    private func changeElsewhere() {
        if chance(0.3) { addChat(to: spaces[random(0...3)]) }
        if let (space, chat) = randomChat(in: spaces[random(0...3)]), chance(0.7) {
            _ = set(chat, of: space, to: randomMode())
        }
        if chance(0.6) { reconciler.spaceListChanged() }
    }

    private func changeMembership() {
        let space = spaces[random(0...3)]
        let isActive = chance(0.6)
        source.setRows { rows in
            for index in rows.indices where rows[index].spaceId == space { rows[index].isActive = isActive }
        }
        reconciler.spaceListChanged()
    }

    private func restart() async {
        await reconciler.shutdown()
        await node.dropConnection(landing: chance(0.5))
        await launch()
    }

    private func launch() async {
        witness.restart()
        let reconciler = TopicReconciler(
            identity: account.publicKey, source: reconcileSource, node: node, clock: clock, timing: Self.timing
        )
        state.withLock { $0.reconciler = reconciler }
        await reconciler.start()
    }

    private var reconcileSource: any ReconcileSource {
        guard let directory = state.withLock({ $0.directory }) else { return source }
        let keyring = SpaceKeyring(account: account, directory: directory, verification: .full)
        return SpaceDirectorySource(directory: directory, keyring: keyring)
    }

    // The bound on reading anew would let a round send what was read before a write, which the witness takes for a
    // fault.
    private static var timing: ReconcileTiming {
        var timing = ReconcileTiming()
        timing.rereadLimit = 10_000
        return timing
    }

    private var reconciler: TopicReconciler {
        state.withLock { state in
            guard let reconciler = state.reconciler else { fatalError("not launched") }
            return reconciler
        }
    }

    /// The spaces that should be registered and are not.
    private var unregistered: [String] {
        source.truth.filter { $0.isActive && ($0.isOwned || $0.isOneToOne) }.map(\.spaceId).filter { space in
            guard let key = source.keysNow(of: space)?.spaceKey.publicKey else { return false }
            return !node.spaces.contains(key)
        }
    }

    private func set(_ chat: String, of space: String, to mode: NotifyMode?) -> UInt64 {
        source.setMode(mode, ofChat: chat, in: space) { self.witness.changes(chat, to: mode) }
    }

    private func addChat(to space: String) {
        let (chat, mode) = state.withLock { state in
            state.nextChat += 1
            let chat = "\(space)c\(state.nextChat)"
            state.chats[space, default: []].append(chat)
            return (
                chat, state.generator.chance(0.7) ? nil : NotifyMode.allCases.randomElement(using: &state.generator)
            )
        }
        source.addChat(chat, mode: mode, to: space)
    }

    private func randomChat(in space: String) -> (space: String, chat: String)? {
        state.withLock { state in
            state.chats[space]?.randomElement(using: &state.generator).map { (space, $0) }
        }
    }

    private func randomMode() -> NotifyMode? {
        state.withLock { state in
            state.generator.chance(0.35) ? nil : NotifyMode.allCases.randomElement(using: &state.generator)
        }
    }

    func random(_ range: ClosedRange<Int>) -> Int {
        state.withLock { Int.random(in: range, using: &$0.generator) }
    }

    private func chance(_ probability: Double) -> Bool {
        state.withLock { $0.generator.chance(probability) }
    }
}
