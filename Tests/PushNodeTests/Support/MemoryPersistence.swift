import Locks
import PushNode

/// A token's record in memory, which can refuse to be read or written, or to be read only.
final class MemoryPersistence: DeviceTokenPersistence {
    struct DiskFull: Error {}
    struct Damaged: Error {}

    private struct State {
        var record: DeviceTokenRecord
        var saves = 0
        var isFailing = false
        var isDamaged = false
    }

    private let state: SystemLock<State>

    init(_ record: DeviceTokenRecord = .none) { state = SystemLock(State(record: record)) }

    var record: DeviceTokenRecord { state.withLock { $0.record } }
    var saves: Int { state.withLock { $0.saves } }
    func fail(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }

    /// Makes the record one that cannot be read before another is saved.
    func damage(_ isDamaged: Bool) { state.withLock { $0.isDamaged = isDamaged } }

    func load() throws -> DeviceTokenRecord {
        try state.withLock { state in
            if state.isFailing { throw DiskFull() }
            if state.isDamaged { throw Damaged() }
            return state.record
        }
    }

    func save(_ record: DeviceTokenRecord) throws {
        try state.withLock { state in
            if state.isFailing { throw DiskFull() }
            state.record = record
            state.isDamaged = false
            state.saves += 1
        }
    }
}
