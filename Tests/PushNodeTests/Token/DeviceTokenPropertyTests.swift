import Locks
import PushAPI
import TestSupport
import Testing

@testable import PushNode

/// A node that answers late, out of order or not at all, and changes at any moment: the node ends with what the record
/// says.
@Suite(.timeLimit(.minutes(2))) struct DeviceTokenPropertyTests {
    @Test(arguments: 0..<UInt64(100)) func theLastChangeWins(seed: UInt64) async throws {
        try await RandomOrder.run(seed: seed) { order in
            try OwnedTasks.$executor.withValue(order.executor) { try Self.play(TokenWorld(seed: seed), order, seed) }
        }
    }

    private static func play(_ world: TokenWorld, _ order: RandomOrder, _ seed: UInt64) throws {
        try order.finish { await world.launch() }
        for _ in 0..<120 {
            try order.finish { try await world.step() }
            order.run(world.random(0...40))
            world.passSomeTime()
        }
        #expect(world.violations == [], "seed \(seed)")

        world.endFailures()
        var turns = 0
        while turns < 200, try !order.finish({ await world.isInStep }) {
            pass(.seconds(5), world, order)
            turns += 1
        }
        #expect(turns < 200, "seed \(seed): not in step after the failures")
        // Nothing that is still on its way brings it out of step.
        for _ in 0..<20 { pass(.seconds(5), world, order) }
        #expect(try order.finish { await world.isInStep }, "seed \(seed): brought out of step")
        #expect(world.violations == [], "seed \(seed)")
        try order.finish {
            await world.store.shutdown()
            await world.node.dropConnection(landing: false)
        }
        order.run()
        #expect(world.clock.sleeperCount == 0, "seed \(seed)")
    }

    private static func pass(_ duration: Duration, _ world: TokenWorld, _ order: RandomOrder) {
        world.clock.advance(by: duration)
        order.run()
    }
}

/// A user who changes the token, and a node that fails, at random.
private final class TokenWorld: Sendable {
    let clock = VirtualClock()
    let node: FakeNode
    let persistence = MemoryPersistence()
    private let state: SystemLock<State>

    private struct State {
        var generator: SeededGenerator
        var isFailing = true
        var nextToken = 0
        var store: DeviceTokenStore?
        /// What the user was told last is in force, `nil` for no token.
        var wanted: DeviceToken?
        /// Whether a change is being made, so that either side of it is right.
        var isChanging = false
        /// Whether a call that was decided on before the last change has begun after it.
        var hasStaleCall = false
        var violations: [String] = []
    }

    init(seed: UInt64) {
        node = FakeNode(clock: clock)
        state = SystemLock(State(generator: SeededGenerator(seed: seed)))
        node.decide { [unowned self] _ in reply() }
        node.observe { [unowned self] in watch($0) }
    }

    var violations: [String] { state.withLock { $0.violations } }

    var store: DeviceTokenStore {
        state.withLock { state in
            guard let store = state.store else { fatalError("not launched") }
            return store
        }
    }

    var isInStep: Bool {
        get async {
            let status = await store.status
            let wanted = state.withLock { $0.wanted }
            let record: DeviceTokenRecord = wanted.map { .registered($0) } ?? .none
            return status.isSettled && node.token == wanted && persistence.record == record
        }
    }

    func launch() async {
        let store = DeviceTokenStore(persistence: persistence, node: node, clock: clock)
        state.withLock { $0.store = store }
        await store.start()
    }

    func step() async throws {
        switch random(0...99) {
        case 0..<10: try await change(to: DeviceToken(platform: .ios, token: "t\(random(0...4))"))
        case 10..<18: try await change(to: nil)
        case 18..<22:
            // The app registers and deletes in one go.
            try await change(to: DeviceToken(platform: .android, token: "quick"))
            try await change(to: nil)
        case 22..<25:
            await store.shutdown()
            await node.dropConnection(landing: chance(0.5))
            await launch()
        case 25..<30:
            // A round does not wait for its forward in this test.
            let store = store
            Task(executorPreference: OwnedTasks.executor) { _ = await store.forward(within: .seconds(5)) }
        default: break
        }
    }

    func passSomeTime() {
        clock.advance(by: chance(0.1) ? .seconds(random(5...90)) : .milliseconds(random(0...1500)))
    }

    func endFailures() {
        state.withLock { $0.isFailing = false }
    }

    private func change(to token: DeviceToken?) async throws {
        state.withLock { $0.isChanging = true }
        if let token { try await store.set(token) } else { try await store.revoke() }
        state.withLock { state in
            state.wanted = token
            state.isChanging = false
            state.hasStaleCall = false
        }
    }

    /// Nothing but what is in force is sent, above all no token after its deletion; but one call may be about to begin
    /// when the change is made.
    private func watch(_ call: FakeNode.Call) {
        state.withLock { state in
            let sent: DeviceToken? = if case .setToken(let token) = call { token } else { nil }
            guard !state.isChanging, sent != state.wanted else { return }
            if state.hasStaleCall { state.violations.append("\(call) is not in force") }
            state.hasStaleCall = true
        }
    }

    private func reply() -> FakeNode.Reply {
        guard state.withLock({ $0.isFailing }) else { return .ok }
        let delay = chance(0.4) ? Duration.milliseconds(random(1...7000)) : .zero
        let late = Duration.milliseconds(random(0...55_000))
        return switch random(0...11) {
        case 0: .failure(.unreachable(reason: "down"))
        case 1: .failure(.failed(code: 1200, text: "unexpected"))
        case 2, 3: FakeNode.Reply(error: .interrupted(reason: "cut"), delay: delay, landing: chance(0.6) ? late : nil)
        case 4: FakeNode.Reply(error: .malformedAnswer, delay: delay)
        case 5, 6: .silence(landing: chance(0.6) ? late : nil)
        // Carried out at the start of the call, or somewhere before its end.
        default: FakeNode.Reply(delay: delay, landing: chance(0.5) ? .zero : delay / 2)
        }
    }

    func random(_ range: ClosedRange<Int>) -> Int {
        state.withLock { Int.random(in: range, using: &$0.generator) }
    }

    private func chance(_ probability: Double) -> Bool {
        state.withLock { $0.generator.chance(probability) }
    }
}
