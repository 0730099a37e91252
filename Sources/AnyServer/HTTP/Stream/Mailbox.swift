/// The frames that wait for one subscriber, bounded in number and in bytes.
struct Mailbox {
    private var frames: [EventFrame?] = []
    private var first = 0
    private(set) var count = 0
    private(set) var byteCount = 0
    private let capacity: Int
    private let byteCapacity: Int

    /// A mailbox for so many frames of so many bytes together; it takes no memory before the first.
    init(capacity: Int, byteCapacity: Int) {
        self.capacity = capacity
        self.byteCapacity = byteCapacity
    }

    var isEmpty: Bool { count == 0 }

    /// Puts a frame behind the others.
    ///
    /// - Returns: Whether there was room. A frame that is larger than the whole mailbox fits into an empty one.
    mutating func add(_ frame: EventFrame) -> Bool {
        guard count < capacity, count == 0 || byteCount + frame.bytes.count <= byteCapacity else { return false }
        if count == frames.count { grow() }
        frames[(first + count) % frames.count] = frame
        count += 1
        byteCount += frame.bytes.count
        return true
    }

    /// Takes the oldest frame out.
    mutating func next() -> EventFrame? {
        guard count > 0, let frame = frames[first] else { return nil }
        frames[first] = nil
        first = (first + 1) % frames.count
        count -= 1
        byteCount -= frame.bytes.count
        return frame
    }

    /// Drops everything, memory included.
    mutating func removeAll() {
        frames = []
        first = 0
        count = 0
        byteCount = 0
    }

    private mutating func grow() {
        let ordered = (0..<count).map { frames[(first + $0) % frames.count] }
        let size = min(capacity, max(16, 2 * frames.count))
        frames = ordered + repeatElement(nil, count: size - count)
        first = 0
    }
}
