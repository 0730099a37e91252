import Synchronization

/// Says yes once.
final class Once: Sendable {
    private let isUsed = Mutex(false)
    func first() -> Bool {
        isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
    }
}

/// Off until it is set.
final class Flag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}
