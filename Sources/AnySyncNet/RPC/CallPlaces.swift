internal import PushCrypto

/// For whom a call is made.
struct CallParty: Hashable, Sendable {
    let account: PublicKey
    /// `nil` where it is not known, and not counted.
    let address: AddressGroup?
}

/// How many calls may run at once.
struct CallPlaceLimits: Hashable, Sendable {
    var all: Int
    var perAccount: Int
    var perAddress: Int
}

/// Who may run calls: so many at once in all, of one account and of one address. Accounts that wait take turns, whatever the
/// number of their calls. A value without I/O or clock.
struct CallPlaces<Ticket> {
    private let limits: CallPlaceLimits
    private(set) var running = 0
    private var ofAccount: [PublicKey: Int] = [:]
    private var ofAddress: [AddressGroup: Int] = [:]
    private var waiting: [CallParty: FIFO<Ticket>] = [:]
    /// The parties that wait, the next one first.
    private var turns: [CallParty] = []

    init(_ limits: CallPlaceLimits) {
        self.limits = limits
    }

    /// Whether nobody runs or waits.
    var isEmpty: Bool { running == 0 && turns.isEmpty && ofAccount.isEmpty && ofAddress.isEmpty }

    /// Takes a place if there is one for this party and nobody of it waits.
    mutating func enter(_ party: CallParty) -> Bool {
        guard waiting[party] == nil, hasPlace(party) else { return false }
        take(party)
        return true
    }

    /// Waits for a place.
    mutating func wait(_ party: CallParty, _ ticket: Ticket) {
        if waiting[party] == nil { turns.append(party) }
        waiting[party, default: FIFO()].append(ticket)
    }

    /// Waits no more.
    ///
    /// - Returns: the ticket; `nil` when it does not wait.
    mutating func withdraw(_ party: CallParty, where fits: (Ticket) -> Bool) -> Ticket? {
        let ticket = waiting[party]?.removeFirst(where: fits)
        forgetIfEmpty(party)
        return ticket
    }

    /// Gives a place back.
    ///
    /// - Returns: those who have a place now.
    mutating func leave(_ party: CallParty) -> [Ticket] {
        running -= 1
        ofAccount[party.account] = less(ofAccount[party.account])
        if let address = party.address { ofAddress[address] = less(ofAddress[address]) }
        var next: [Ticket] = []
        while let index = turns.firstIndex(where: hasPlace) {
            let party = turns.remove(at: index)
            guard let ticket = waiting[party]?.popFirst() else { continue }
            turns.append(party)
            forgetIfEmpty(party)
            take(party)
            next.append(ticket)
        }
        return next
    }

    private func hasPlace(_ party: CallParty) -> Bool {
        running < limits.all && ofAccount[party.account, default: 0] < limits.perAccount
            && (party.address.map { ofAddress[$0, default: 0] < limits.perAddress } ?? true)
    }

    private mutating func take(_ party: CallParty) {
        running += 1
        ofAccount[party.account, default: 0] += 1
        if let address = party.address { ofAddress[address, default: 0] += 1 }
    }

    private mutating func forgetIfEmpty(_ party: CallParty) {
        guard let queue = waiting[party], queue.isEmpty else { return }
        waiting[party] = nil
        turns.removeAll { $0 == party }
    }

    private func less(_ count: Int?) -> Int? {
        guard let count, count > 1 else { return nil }
        return count - 1
    }
}
