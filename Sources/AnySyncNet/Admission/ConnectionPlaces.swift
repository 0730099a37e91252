internal import AnySyncWire
internal import PushCrypto

/// How many may be connected.
struct ConnectionPlaceLimits: Hashable, Sendable {
    var all: Int
    var perAccount: Int
    var perAddress: Int
}

/// Who may stay connected: so many in all, of one account and of one address. Whoever has proven who it is gets in, and the
/// one of least use goes for it: of the address with the most connections, of its account with the most, the one that was idle
/// for longest. A value without I/O or clock.
struct ConnectionPlaces<Id: Hashable> {
    /// Which limit was reached.
    enum Bound: Hashable, Sendable {
        case all, account
        case address(AddressGroup)
    }

    /// Who had to go for a newcomer, each with the limit that was reached.
    typealias Replaced = [(id: Id, bound: Bound)]

    private struct Entry {
        let account: PublicKey
        let address: AddressGroup
    }

    private let limits: ConnectionPlaceLimits
    private var entries: [Id: Entry] = [:]
    private var ofAccount: [PublicKey: Int] = [:]
    private var ofAddress: [AddressGroup: Int] = [:]

    init(_ limits: ConnectionPlaceLimits) {
        self.limits = limits
    }

    var count: Int { entries.count }

    /// Takes in a newcomer.
    ///
    /// - Parameters:
    ///   - others: connections that are not counted here and take up places all the same.
    ///   - lastUse: when a connection was last of use.
    /// - Returns: who must go, and is not counted any more; `nil` when there is no place even so.
    mutating func admit(
        _ id: Id, account: PublicKey, address: AddressGroup, others: Int = 0, lastUse: (Id) -> MonotonicTime
    ) -> Replaced? {
        enter(id, account, address)
        var replaced: Replaced = []
        while let bound = bound(account, address, others) {
            guard let victim = victim(of: bound, account, sparing: id, lastUse) else {
                leave(id)
                return nil
            }
            leave(victim)
            replaced.append((victim, bound))
        }
        return replaced
    }

    /// Whose connection is of least use; `nil` when there is none.
    func leastUseful(lastUse: (Id) -> MonotonicTime) -> Id? {
        leastUseful(of: { _ in true }, sparing: nil, lastUse)
    }

    /// Gives a place back. Does nothing for one that has gone.
    mutating func leave(_ id: Id) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        ofAccount[entry.account] = ofAccount[entry.account].flatMap { $0 > 1 ? $0 - 1 : nil }
        ofAddress[entry.address] = ofAddress[entry.address].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    private mutating func enter(_ id: Id, _ account: PublicKey, _ address: AddressGroup) {
        leave(id)
        entries[id] = Entry(account: account, address: address)
        ofAccount[account, default: 0] += 1
        ofAddress[address, default: 0] += 1
    }

    private func bound(_ account: PublicKey, _ address: AddressGroup, _ others: Int) -> Bound? {
        if ofAccount[account, default: 0] > limits.perAccount { return .account }
        if ofAddress[address, default: 0] > limits.perAddress { return .address(address) }
        return entries.count + others > limits.all ? .all : nil
    }

    private func victim(
        of bound: Bound, _ account: PublicKey, sparing newcomer: Id, _ lastUse: (Id) -> MonotonicTime
    ) -> Id? {
        let concerns: (Entry) -> Bool = { entry in
            switch bound {
            case .all: true
            case .account: entry.account == account
            case .address(let address): entry.address == address
            }
        }
        return leastUseful(of: concerns, sparing: newcomer, lastUse)
    }

    private func leastUseful(
        of concerns: (Entry) -> Bool, sparing newcomer: Id?, _ lastUse: (Id) -> MonotonicTime
    ) -> Id? {
        var best: (id: Id, rank: (Int, Int), lastUse: MonotonicTime)?
        for (id, entry) in entries where id != newcomer && concerns(entry) {
            let rank = (ofAddress[entry.address, default: 0], ofAccount[entry.account, default: 0])
            if let best, rank < best.rank { continue }
            let time = lastUse(id)
            if let best, rank == best.rank, time >= best.lastUse { continue }
            best = (id, rank, time)
        }
        return best?.id
    }
}
