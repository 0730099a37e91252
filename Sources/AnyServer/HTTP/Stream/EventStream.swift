import Locks

/// One subscriber's server-sent events: `ready`, `snapshot`, any number of `changes`, and `closed` when the server ends
/// it.
///
/// Whoever feeds a stream makes it, registers it where changes come from, hands it to ``HTTPResponse/events(_:)`` and
/// calls ``begin(_:)`` with the snapshot. Changes sent before that wait behind the snapshot, so none falls between the
/// two. ``send(_:drifting:)`` never waits: a subscriber that does not keep up is closed with `overflow`, and no other
/// stream notices.
final class EventStream: Sendable {
    /// Frames in bytes that one slow subscriber may hold besides its snapshot. Ours: the contract bounds their number
    /// only.
    static let mailboxBytes = 4 << 20

    private let state: SystemLock<State>

    fileprivate struct State {
        enum Phase {
            /// The snapshot is not there yet.
            case opening
            case live
            /// The last frame is known; what is before it may still be going out.
            case closing(EventFrame)
            /// Nothing more is sent.
            case ended
        }

        var phase = Phase.opening
        var mailbox: Mailbox
        var snapshot: EventFrame?
        var drift: DriftBudget
        /// What is being written, and how much of it is out.
        var current: [UInt8]? = EventFrame.ready.bytes
        var written = 0
        var isKeepaliveDue = false
        /// The reader found nothing and wants to be woken.
        var isReaderWaiting = false
        var wake: (@Sendable () -> Void)?
        var onEnd: [@Sendable () -> Void] = []
    }

    /// A stream for one subscriber.
    ///
    /// - Parameters:
    ///   - options: What the subscriber asked for.
    ///   - windowSize: How many records the subscriber watches, `nil` when it watches all that match. See
    ///     ``DriftBudget``.
    init(options: StreamOptions = StreamOptions(), windowSize: Int? = nil) {
        state = SystemLock(
            State(
                mailbox: Mailbox(capacity: options.mailboxCapacity, byteCapacity: Self.mailboxBytes),
                drift: DriftBudget(percent: options.driftBudgetPercent, windowSize: windowSize)))
    }

    // MARK: For whoever feeds the stream

    /// Whether frames may still reach the subscriber.
    var isOpen: Bool {
        state.withLock { state in
            switch state.phase {
            case .opening, .live: true
            case .closing, .ended: false
            }
        }
    }

    /// Sends the snapshot, once, before all changes.
    func begin(_ snapshot: EventFrame) {
        change { state in
            guard case .opening = state.phase else { return }
            state.phase = .live
            state.snapshot = snapshot
        }
    }

    /// Sends a frame.
    ///
    /// - Parameter left: How many records of the watched window leave with the frame. What the ``DriftBudget`` does not
    ///   allow ends the stream behind it.
    /// - Returns: Whether the stream is still open; if not, there is no more use in sending.
    @discardableResult
    func send(_ frame: EventFrame, drifting left: Int = 0) -> Bool {
        change { state in
            guard state.isOpen else { return false }
            guard state.mailbox.add(frame) else {
                state.close(.overflow)
                return false
            }
            guard state.drift.spend(left) else {
                state.close(.drifted)
                return false
            }
            return true
        }
    }

    /// Ends the stream with a reason for its subscriber. Does nothing when it has one already.
    func close(_ reason: ClosedReason) {
        change { $0.close(reason) }
    }

    /// Has `action` run once the subscriber is gone or has all it will get, or at once if that has happened.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if case .ended = state.phase { return true }
            state.onEnd.append(action)
            return false
        }
        if isLate { action() }
    }

    // MARK: For the server

    /// Bytes that wait for the subscriber.
    var heldBytes: Int {
        state.withLock { state in
            state.mailbox.byteCount + (state.snapshot?.bytes.count ?? 0) + (state.current?.count ?? 0)
        }
    }

    /// What ``read(atMost:)`` found.
    enum Output {
        case bytes(ArraySlice<UInt8>)
        case nothing
        case end
    }

    /// Has `wake` be called when there is something to read after ``read(atMost:)`` found nothing.
    func attach(wake: @escaping @Sendable () -> Void) {
        change { state in
            state.wake = wake
            state.isReaderWaiting = true
        }
    }

    /// The next bytes for the subscriber. A frame stays in the mailbox until the one before it is out.
    func read(atMost limit: Int) -> Output {
        state.withLock { state in
            state.isReaderWaiting = false
            if state.current == nil { state.current = state.next() }
            guard let bytes = state.current else {
                if case .ended = state.phase { return .end }
                state.isReaderWaiting = true
                return .nothing
            }
            let end = min(bytes.count, state.written + limit)
            let piece = bytes[state.written..<end]
            state.written = end
            if end == bytes.count {
                state.current = nil
                state.written = 0
            }
            return .bytes(piece)
        }
    }

    /// Sends a comment if nothing else is on its way.
    func keepalive() {
        change { state in
            if state.isOpen, !state.hasOutput { state.isKeepaliveDue = true }
        }
    }

    /// The subscriber is gone, or has everything.
    func end() {
        let actions = state.withLock { state in
            state.phase = .ended
            state.mailbox.removeAll()
            state.snapshot = nil
            state.current = nil
            state.wake = nil
            defer { state.onEnd = [] }
            return state.onEnd
        }
        for action in actions { action() }
    }

    /// Changes the state and wakes a reader that waits for something that is now there. Outside the lock: it takes
    /// others.
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, wake) = state.withLock { state -> (Result, (@Sendable () -> Void)?) in
            let result = body(&state)
            guard state.isReaderWaiting, state.hasOutput else { return (result, nil) }
            state.isReaderWaiting = false
            return (result, state.wake)
        }
        wake?()
        return result
    }
}

extension EventStream.State {
    fileprivate var isOpen: Bool {
        switch phase {
        case .opening, .live: true
        case .closing, .ended: false
        }
    }

    fileprivate var hasOutput: Bool {
        switch phase {
        case .opening: current != nil || isKeepaliveDue
        case .live: current != nil || snapshot != nil || !mailbox.isEmpty || isKeepaliveDue
        case .closing, .ended: true
        }
    }

    fileprivate mutating func close(_ reason: ClosedReason) {
        guard isOpen else { return }
        if !reason.deliversRest { mailbox.removeAll() }
        phase = .closing(.closed(reason))
    }

    /// The next frame to write, in the order that the contract promises.
    fileprivate mutating func next() -> [UInt8]? {
        switch phase {
        case .opening: return takeKeepalive()
        case .live: return takeSnapshot() ?? mailbox.next()?.bytes ?? takeKeepalive()
        case .closing(let last):
            if let bytes = takeSnapshot() ?? mailbox.next()?.bytes { return bytes }
            phase = .ended
            return last.bytes
        case .ended: return nil
        }
    }

    private mutating func takeSnapshot() -> [UInt8]? {
        defer { snapshot = nil }
        return snapshot?.bytes
    }

    private mutating func takeKeepalive() -> [UInt8]? {
        defer { isKeepaliveDue = false }
        return isKeepaliveDue ? EventFrame.keepalive : nil
    }
}
