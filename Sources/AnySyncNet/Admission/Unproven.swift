package import AnySyncWire

/// The incoming connections of an endpoint whose handshakes go on, of all its listeners. Unchecked because it is mutable: it
/// is used on the loop's thread only.
package final class Unproven: @unchecked Sendable {
    /// Names a connection.
    package struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private let limit: Int
    private let onEvent: @Sendable (NetEvent) -> Void
    private var places: UnprovenPlaces<Ticket>
    private var drops: [Ticket: () -> Void] = [:]
    private var next: UInt64 = 0

    init(_ limits: NetLimits, onEvent: @escaping @Sendable (NetEvent) -> Void) {
        limit = limits.unfinishedHandshakes
        self.onEvent = onEvent
        places = UnprovenPlaces(all: limits.unfinishedHandshakes, perAddress: limits.unfinishedHandshakesPerAddress)
    }

    /// Until when a connection that was not accepted yet is left to the kernel; `nil` when there is room for it now.
    func room(now: MonotonicTime) -> MonotonicTime? {
        places.room(now: now)
    }

    /// Takes in a connection, maybe for others.
    ///
    /// - Parameter drop: ends it, because it has to make room.
    package func enter(from address: AddressGroup?, at now: MonotonicTime, drop: @escaping () -> Void) -> Ticket {
        let ticket = Ticket(number: next)
        next += 1
        let replaced = places.enter(ticket, from: address ?? .unknown, at: now)
        drops[ticket] = drop
        if !replaced.isEmpty { onEvent(.handshakesFull(limit: limit)) }
        for other in replaced { drops.removeValue(forKey: other)?() }
        return ticket
    }

    /// Drops the one that is worth the least; `false` when there is none.
    func dropOne() -> Bool {
        guard let ticket = places.worst else { return false }
        places.leave(ticket)
        drops.removeValue(forKey: ticket)?()
        return true
    }

    /// Something of it has arrived.
    package func spoke(_ ticket: Ticket) {
        places.spoke(ticket)
    }

    /// It has proven itself, or is gone. Does nothing for one that has left.
    package func leave(_ ticket: Ticket) {
        places.leave(ticket)
        drops[ticket] = nil
    }
}
