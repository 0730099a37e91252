import AnySyncNet

/// The senders that have tries to be made again, by when the first of each is due; those with a due one take turns.
///
/// Taking deliveries in the order of time alone would let a sender with a hundred thousand of them hold up all others.
/// Operations take a time that grows with the logarithm of the senders.
struct DueSenders {
    private enum Place: Equatable {
        case waiting(NodeTime)
        case ready(NodeTime)
        // Its turn is under way; what was noted meanwhile may be newer than what the turn finds.
        case away(noted: NodeTime?)
    }

    private struct Entry {
        let due: NodeTime
        let sender: SenderTag
    }

    private var places: [SenderTag: Place] = [:]
    // A heap with the earliest on top. An entry counts while its sender waits for exactly its time.
    private var heap: [Entry] = []
    private var ready = FIFO<SenderTag>()

    /// When the next try of anybody is due, `nil` without any.
    mutating func earliest() -> NodeTime? {
        dropStale()
        if let sender = ready.first, case .ready(let due) = places[sender] { return min(due, heap.first?.due ?? due) }
        return heap.first?.due
    }

    /// Notes a try of a sender.
    mutating func add(_ sender: SenderTag, at due: NodeTime) {
        switch places[sender] {
        case .ready: return
        case .away(let noted): places[sender] = .away(noted: min(noted ?? due, due))
        case .waiting(let known) where known <= due: return
        case .waiting, nil: wait(sender, until: due)
        }
    }

    /// The sender whose turn it is, `nil` when nobody's tries are due. To be given back with
    /// ``put(_:next:)``.
    mutating func next(now: NodeTime) -> SenderTag? {
        dropStale()
        while let entry = heap.first, entry.due <= now {
            removeFirst()
            places[entry.sender] = .ready(entry.due)
            ready.append(entry.sender)
            dropStale()
        }
        guard let sender = ready.popFirst() else { return nil }
        places[sender] = .away(noted: nil)
        return sender
    }

    /// Puts a sender that had its turn back.
    ///
    /// - Parameters:
    ///   - due: its next try as its turn found it, `nil` without any.
    ///   - now: the time that ``next(now:)`` was asked for.
    mutating func put(_ sender: SenderTag, next due: NodeTime?, now: NodeTime) {
        var due = due
        if case .away(let noted?) = places[sender] { due = min(due ?? noted, noted) }
        guard let due else { return places[sender] = nil }
        guard due <= now else { return wait(sender, until: due) }
        places[sender] = .ready(due)
        ready.append(sender)
    }

    private mutating func wait(_ sender: SenderTag, until due: NodeTime) {
        places[sender] = .waiting(due)
        // Entries that no longer count are kept to as many as those that do.
        if heap.count > 2 * places.count + 64 {
            heap = places.compactMap { sender, place in
                guard case .waiting(let due) = place else { return nil }
                return Entry(due: due, sender: sender)
            }
            heap.sort { $0.due < $1.due }
            return
        }
        heap.append(Entry(due: due, sender: sender))
        var index = heap.count - 1
        while index > 0, heap[index].due < heap[(index - 1) / 2].due {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func dropStale() {
        while let entry = heap.first, places[entry.sender] != .waiting(entry.due) { removeFirst() }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].due < heap[least].due {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
