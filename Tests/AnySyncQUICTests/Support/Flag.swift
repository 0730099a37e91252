import Locks

/// Something that is so or not, shared with other threads.
final class Flag: Sendable {
    private let value = SystemLock(false)
    var isSet: Bool { value.withLock { $0 } }
    func set(_ value: Bool) { self.value.withLock { $0 = value } }
}
