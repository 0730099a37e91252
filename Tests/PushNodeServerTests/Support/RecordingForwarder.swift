import Locks
import ProtoWire
import PushAPI
import PushNode
import PushNodeServer

/// A forwarder that keeps what it is given, and does with it what a test says.
final class RecordingForwarder: Forwarder {
    struct Message: Sendable {
        let content: NotificationContent
    }

    struct Entry: Sendable {
        let content: NotificationContent
        let delivery: Delivery
    }

    typealias Behaviour = @Sendable (Delivery) async -> DeliveryOutcome

    fileprivate struct State {
        var entries: [Entry] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = SystemLock(State())
    private let behaviour: Behaviour
    private let fault: PayloadFault?

    init(_ behaviour: @escaping Behaviour = { _ in .delivered }) {
        fault = nil
        self.behaviour = behaviour
    }

    /// A forwarder whose provider takes nothing.
    init(fault: PayloadFault) {
        self.fault = fault
        behaviour = { _ in .payloadFault }
    }

    func message(_ content: NotificationContent, for platform: Platform) throws(PayloadFault) -> Message {
        if let fault { throw fault }
        return Message(content: content)
    }

    func deliver(_ message: Message, _ delivery: Delivery) async -> DeliveryOutcome {
        let ready = state.withLock { state in
            state.entries.append(Entry(content: message.content, delivery: delivery))
            return state.takeReadyWaiters()
        }
        for waiter in ready { waiter.resume() }
        return await behaviour(delivery)
    }

    /// What was tried, in order.
    var entries: [Entry] { state.withLock { $0.entries } }

    /// The tokens that were tried, in order.
    var tokens: [String] { entries.map { $0.delivery.token.string } }

    /// Waits until at least so many deliveries were tried.
    func tries(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.waiters.append((count, continuation))
                return state.takeReadyWaiters()
            }
            for waiter in ready { waiter.resume() }
        }
    }
}

extension RecordingForwarder.State {
    fileprivate mutating func takeReadyWaiters() -> [CheckedContinuation<Void, Never>] {
        let ready = waiters.filter { $0.count <= entries.count }.map(\.continuation)
        waiters.removeAll { $0.count <= entries.count }
        return ready
    }
}

/// Holds tasks until it is opened.
final class Gate: Sendable {
    private let state = SystemLock<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
