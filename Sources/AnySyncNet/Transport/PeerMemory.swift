internal import AnySyncWire

/// What a ``Dialer`` has learnt about one peer.
struct PeerMemory {
    /// The versions that it takes.
    var negotiation: VersionNegotiation
    /// How the peer last refused one.
    var lastRefusal: HandshakeFailure?
    /// The address that worked last; tried first among those of its group.
    var worked: Address?
    /// Encrypted addresses that let their time pass when they were last dialled.
    var silent: Set<Address> = []

    /// The addresses in the order they are tried: encrypted ones first.
    func ordered(_ addresses: [Address]) -> [Address] {
        var ordered: [Address] = []
        for group in [Self.encrypted, Self.readable] {
            let members = addresses.filter { Self.group(of: $0) == group }
            ordered += members.filter { $0 == worked } + members.filter { $0 != worked }
        }
        return ordered
    }

    /// When each of the addresses may start.
    func schedule(_ addresses: [Address], _ limits: NetLimits) -> RaceSchedule {
        let entries = addresses.map { address in
            RaceSchedule.Entry(
                group: Self.group(of: address),
                time: silent.contains(address) ? limits.shortHeadStart : limits.encryptedHeadStart)
        }
        return RaceSchedule(entries, delay: limits.attemptDelay)
    }

    /// Takes note of what a race over addresses has shown.
    mutating func learn(from outcome: RaceOutcome<any Connection>, over addresses: [Address]) {
        if let winner = outcome.winner { worked = addresses[winner.index] }
        for (index, address) in addresses.enumerated() where Self.group(of: address) == Self.encrypted {
            if outcome.overdue.contains(index) {
                silent.insert(address)
            } else if outcome.winner?.index == index || outcome.failures[index] != nil {
                // It answered, if only to refuse.
                silent.remove(address)
            }
        }
    }

    private static let encrypted = 0
    private static let readable = 1

    private static func group(of address: Address) -> Int {
        address.kind?.isEncrypted == true ? encrypted : readable
    }
}
