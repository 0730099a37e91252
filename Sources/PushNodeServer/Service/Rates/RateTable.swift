/// Token buckets of many owners in a fixed amount of memory. Whoever has none has a full one.
struct RateTable<Owner: Hashable> {
    private struct Entry {
        let owner: Owner
        let rate: CallRate
        var bucket: RateBucket
    }

    /// How many entries are looked at to make room for a new one.
    private static var looks: Int { 8 }

    private let capacity: Int
    private var entries: [Entry] = []
    private var places: [Owner: Int] = [:]
    private var hand = 0

    /// - Parameter capacity: owners at once, at least 1.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// How many owners have a bucket.
    var count: Int { entries.count }

    /// How long an owner must wait for so many tokens, zero when they are there.
    mutating func wait(_ owner: Owner, for count: Int, _ rate: CallRate, now: NodeTime) -> Duration {
        guard let place = places[owner] else { return .zero }
        entries[place].bucket.fill(rate, now: now)
        return entries[place].bucket.wait(for: count, rate)
    }

    /// Takes tokens of an owner, whether they are there or not.
    mutating func take(_ owner: Owner, _ count: Int, _ rate: CallRate, now: NodeTime) {
        let place = places[owner] ?? place(for: owner, rate, now: now)
        entries[place].bucket.fill(rate, now: now)
        entries[place].bucket.take(count)
    }

    private mutating func place(for owner: Owner, _ rate: CallRate, now: NodeTime) -> Int {
        let entry = Entry(owner: owner, rate: rate, bucket: RateBucket(rate, now: now))
        guard entries.count == capacity else {
            entries.append(entry)
            places[owner] = entries.count - 1
            return entries.count - 1
        }
        let place = fullest(now: now)
        places[entries[place].owner] = nil
        entries[place] = entry
        places[owner] = place
        return place
    }

    // A full bucket says no more than none at all, so nothing is lost with it.
    private mutating func fullest(now: NodeTime) -> Int {
        var best = (place: hand, fullness: -Double.infinity)
        for _ in 0..<min(Self.looks, capacity) {
            entries[hand].bucket.fill(entries[hand].rate, now: now)
            let fullness = entries[hand].bucket.fullness(entries[hand].rate)
            if fullness > best.fullness { best = (hand, fullness) }
            hand = (hand + 1) % capacity
            if fullness >= 1 { break }
        }
        return best.place
    }
}
