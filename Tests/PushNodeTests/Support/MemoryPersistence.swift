import PushNode
import Synchronization

/// A token's record in memory, which can refuse to be read or written.
final class MemoryPersistence: DeviceTokenPersistence {
    struct DiskFull: Error {}

    private struct State {
        var record: DeviceTokenRecord
        var saves = 0
        var isFailing = false
    }

    private let state: Mutex<State>

    init(_ record: DeviceTokenRecord = .none) { state = Mutex(State(record: record)) }

    var record: DeviceTokenRecord { state.withLock { $0.record } }
    var saves: Int { state.withLock { $0.saves } }
    func fail(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }

    func load() throws -> DeviceTokenRecord {
        try state.withLock { state in
            if state.isFailing { throw DiskFull() }
            return state.record
        }
    }

    func save(_ record: DeviceTokenRecord) throws {
        try state.withLock { state in
            if state.isFailing { throw DiskFull() }
            state.record = record
            state.saves += 1
        }
    }
}
