package import PushCrypto

/// Who holds how many bytes of one pot, by connection, account and address, and who must give way when it is short.
///
/// Nobody gets a second share by asking as somebody else: what the connections of an account hold counts for the account,
/// and what the accounts at an address hold counts for the address. Pure: no I/O, no clock.
package struct Shares {
    /// Names a holder; never used again once it has left.
    package struct Holder: Hashable, Sendable {
        let index: Int
        let generation: UInt64
    }

    /// Whose share is used up.
    package enum Bound: Hashable, Sendable {
        case connection, account, address
        /// The pot is, and nobody holds more than who asks.
        case pot
    }

    /// What came of asking for bytes.
    package enum Verdict: Hashable, Sendable {
        /// They are held. Those named had to give way, the largest first: they hold nothing any more.
        case granted(evicted: [Holder])
        /// Nothing has changed but for those who had to give way.
        case refused(Bound, evicted: [Holder])
    }

    private struct Entry {
        var generation: UInt64 = 0
        var isOpen = false
        var account = 0
        var address = 0
        var bytes = 0
    }

    package let limits: ShareLimits
    /// Bytes held in all.
    package private(set) var total = 0
    private var entries: [Entry] = []
    private var free: [Int] = []
    private var accounts = Tally<PublicKey>()
    private var addresses = Tally<AddressGroup>()

    package init(_ limits: ShareLimits) {
        self.limits = limits
    }

    // MARK: Holders

    /// Takes in a connection, which holds nothing yet.
    package mutating func open(account: PublicKey, address: AddressGroup) -> Holder {
        let index = free.popLast() ?? entries.count
        if index == entries.count { entries.append(Entry()) }
        entries[index].generation += 1
        entries[index].isOpen = true
        entries[index].account = accounts.join(account)
        entries[index].address = addresses.join(address)
        return Holder(index: index, generation: entries[index].generation)
    }

    /// Forgets a connection and what it holds. Does nothing for one that has left.
    package mutating func close(_ holder: Holder) {
        guard isOpen(holder) else { return }
        change(holder.index, by: -entries[holder.index].bytes)
        accounts.leave(entries[holder.index].account)
        addresses.leave(entries[holder.index].address)
        entries[holder.index].isOpen = false
        free.append(holder.index)
    }

    /// Whether a connection is one of the holders.
    package func isOpen(_ holder: Holder) -> Bool {
        entries[holder.index].isOpen && entries[holder.index].generation == holder.generation
    }

    /// Bytes that a connection holds.
    package func bytes(of holder: Holder) -> Int {
        isOpen(holder) ? entries[holder.index].bytes : 0
    }

    // MARK: Bytes

    /// Asks for bytes. One that has left is refused.
    package mutating func take(_ count: Int, by holder: Holder) -> Verdict {
        guard isOpen(holder) else { return .refused(.connection, evicted: []) }
        let entry = entries[holder.index]
        if entry.bytes + count > limits.perConnection { return .refused(.connection, evicted: []) }
        if accounts.bytes(entry.account) + count > limits.perAccount { return .refused(.account, evicted: []) }
        if addresses.bytes(entry.address) + count > limits.perAddress { return .refused(.address, evicted: []) }
        var evicted: [Holder] = []
        while !hasRoom(for: count, entry) {
            guard let largest = largest(with: count, askedBy: holder.index), largest != holder.index else {
                return .refused(.pot, evicted: evicted)
            }
            let victim = Holder(index: largest, generation: entries[largest].generation)
            close(victim)
            evicted.append(victim)
        }
        change(holder.index, by: count)
        return .granted(evicted: evicted)
    }

    /// Gives bytes back, no more than are held.
    package mutating func give(_ count: Int, by holder: Holder) {
        guard isOpen(holder) else { return }
        change(holder.index, by: -min(count, entries[holder.index].bytes))
    }

    private mutating func change(_ index: Int, by difference: Int) {
        entries[index].bytes += difference
        accounts.add(difference, entries[index].account)
        addresses.add(difference, entries[index].address)
        total += difference
    }

    /// Whether the pot has `count` bytes for who holds `entry`: the reserve is for those who hold little.
    private func hasRoom(for count: Int, _ entry: Entry) -> Bool {
        if total + count <= limits.total - limits.reserve { return true }
        let isLittle = max(accounts.bytes(entry.account), addresses.bytes(entry.address)) + count <= limits.little
        return isLittle && total + count <= limits.total
    }

    /// Who gives way: of the address that holds the most, of its account that holds the most, the connection that holds the
    /// most. Whoever asks is counted with what it asks for, and goes first among equals.
    ///
    /// - Returns: `nil` when nobody holds anything.
    private func largest(with count: Int, askedBy asking: Int) -> Int? {
        let (account, address) = (entries[asking].account, entries[asking].address)
        var most = addresses.bytes(address) + count
        var place = address
        for index in addresses.indices where index != address && addresses.bytes(index) > most {
            most = addresses.bytes(index)
            place = index
        }
        var found: (index: Int, rank: (Int, Int, Int))?
        for (index, entry) in entries.enumerated() where entry.isOpen && entry.address == place {
            let isAsking = index == asking
            let bytes = entry.bytes + (isAsking ? count : 0)
            guard bytes > 0 else { continue }
            let ofAccount = accounts.bytes(entry.account) + (entry.account == account ? count : 0)
            let rank = (ofAccount, bytes, isAsking ? 1 : 0)
            if let best = found?.rank, rank <= best { continue }
            found = (index, rank)
        }
        return found?.index
    }
}

/// Sums by key, for as long as somebody counts under it.
private struct Tally<Key: Hashable> {
    private struct Sum {
        var key: Key
        var members = 0
        var bytes = 0
    }

    private var sums: [Sum] = []
    private var places: [Key: Int] = [:]
    private var free: [Int] = []

    var indices: Range<Int> { sums.indices }

    func bytes(_ index: Int) -> Int { sums[index].bytes }

    mutating func join(_ key: Key) -> Int {
        let index = places[key] ?? free.popLast() ?? sums.count
        if index == sums.count {
            sums.append(Sum(key: key))
        } else if sums[index].members == 0 {
            sums[index] = Sum(key: key)
        }
        places[key] = index
        sums[index].members += 1
        return index
    }

    mutating func leave(_ index: Int) {
        sums[index].members -= 1
        guard sums[index].members == 0 else { return }
        places[sums[index].key] = nil
        free.append(index)
    }

    mutating func add(_ difference: Int, _ index: Int) {
        sums[index].bytes += difference
    }
}
