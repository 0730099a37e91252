/// A bounded set of topics whose signatures were found good.
///
/// What is new is on probation in a small ring and goes when it was not asked for again before its place is needed; what
/// was asked for moves to the large ring, where entries give way in the order of a clock that passes over those used since
/// its last round. So a peer with endless new topics of its own drives out only what is on probation. Every operation
/// takes constant time.
struct FingerprintCache {
    private struct Ring {
        var entries: [Entry] = []
        var hand = 0
        let capacity: Int

        var isFull: Bool { entries.count == capacity }

        /// Puts an entry into a free place, or into that of the entry under the hand.
        mutating func put(_ entry: Entry) -> (index: Int, displaced: Entry?) {
            guard isFull else {
                entries.append(entry)
                return (entries.count - 1, nil)
            }
            let index = hand
            let displaced = entries[index]
            entries[index] = entry
            hand = (index + 1) % capacity
            return (index, displaced)
        }
    }

    private struct Entry {
        let fingerprint: TopicFingerprint
        var isUsed = false
    }

    private enum Place {
        case probation(Int)
        case main(Int)
    }

    /// How many used entries the clock passes over before it takes the next one anyway.
    private static let maximumSteps = 8

    private var probation: Ring
    private var main: Ring
    private var places: [TopicFingerprint: Place] = [:]

    /// - Parameter capacity: entries in all, at least 2; an eighth of them on probation.
    init(capacity: Int) {
        let probationCapacity = max(capacity / 8, 1)
        probation = Ring(capacity: probationCapacity)
        main = Ring(capacity: max(capacity - probationCapacity, 1))
    }

    /// How many topics are known.
    var count: Int { places.count }

    /// Whether a topic is known; notes that it was asked for.
    mutating func contains(_ fingerprint: TopicFingerprint) -> Bool {
        switch places[fingerprint] {
        case .probation(let index): probation.entries[index].isUsed = true
        case .main(let index): main.entries[index].isUsed = true
        case nil: return false
        }
        return true
    }

    /// Adds a topic whose signature is good.
    mutating func insert(_ fingerprint: TopicFingerprint) {
        guard places[fingerprint] == nil else { return }
        let (index, displaced) = probation.put(Entry(fingerprint: fingerprint))
        places[fingerprint] = .probation(index)
        guard let displaced else { return }
        places[displaced.fingerprint] = nil
        if displaced.isUsed { promote(displaced.fingerprint) }
    }

    private mutating func promote(_ fingerprint: TopicFingerprint) {
        for _ in 0..<Self.maximumSteps where main.isFull && main.entries[main.hand].isUsed {
            main.entries[main.hand].isUsed = false
            main.hand = (main.hand + 1) % main.capacity
        }
        let (index, displaced) = main.put(Entry(fingerprint: fingerprint))
        if let displaced { places[displaced.fingerprint] = nil }
        places[fingerprint] = .main(index)
    }
}
