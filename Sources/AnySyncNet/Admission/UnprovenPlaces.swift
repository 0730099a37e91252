internal import AnySyncWire

/// Who is connected and has proven nothing yet: so many in all, and so many of one address. One that has said nothing goes
/// before one that has, and then the oldest: those of a flood wait longest. A value without I/O or clock.
struct UnprovenPlaces<Id: Hashable> {
    private struct Entry {
        let address: AddressGroup
        let number: UInt64
        let arrival: MonotonicTime
        var hasSpoken = false
    }

    /// How long a newcomer has to be heard before it may go for another. Ours: what it says first follows the end of TCP's
    /// handshake at once, but it is read only after all that waited to be accepted with it.
    static var hearing: Duration { .milliseconds(50) }

    private let all: Int
    private let perAddress: Int
    private var entries: [Id: Entry] = [:]
    private var ofAddress: [AddressGroup: Int] = [:]
    private var next: UInt64 = 0

    init(all: Int, perAddress: Int) {
        self.all = all
        self.perAddress = perAddress
    }

    var count: Int { entries.count }

    /// Takes in a newcomer.
    ///
    /// - Returns: who must go for it, and is not counted any more.
    mutating func enter(_ id: Id, from address: AddressGroup, at now: MonotonicTime) -> [Id] {
        var replaced: [Id] = []
        while ofAddress[address, default: 0] >= perAddress, let victim = oldest(at: address) {
            leave(victim)
            replaced.append(victim)
        }
        while entries.count >= all, let victim = worst {
            leave(victim)
            replaced.append(victim)
        }
        entries[id] = Entry(address: address, number: next, arrival: now)
        next += 1
        ofAddress[address, default: 0] += 1
        return replaced
    }

    /// When there is room for another, wherever it comes from, without sending away somebody who had no time to be heard;
    /// `nil` when there is now.
    func room(now: MonotonicTime) -> MonotonicTime? {
        let isFull = entries.count >= all || ofAddress.values.contains { $0 >= perAddress }
        guard isFull, let worst, let entry = entries[worst], !entry.hasSpoken else { return nil }
        let end = entry.arrival.advanced(by: Self.hearing)
        return end > now ? end : nil
    }

    /// Something of it has arrived.
    mutating func spoke(_ id: Id) {
        entries[id]?.hasSpoken = true
    }

    /// It has proven itself, or is gone.
    mutating func leave(_ id: Id) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        ofAddress[entry.address] = ofAddress[entry.address].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    /// Who goes when something else is short.
    var worst: Id? {
        ofAddress.max { $0.value < $1.value }.flatMap { oldest(at: $0.key) }
    }

    private func oldest(at address: AddressGroup) -> Id? {
        entries.filter { $0.value.address == address }.min { left, right in
            (left.value.hasSpoken ? 1 : 0, left.value.number) < (right.value.hasSpoken ? 1 : 0, right.value.number)
        }?.key
    }
}
