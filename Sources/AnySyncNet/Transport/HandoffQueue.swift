/// What one side makes and another waits for: items in order, or waiting takers in order. Belongs to one actor.
struct HandoffQueue<Element: Sendable> {
    private var items: [Element] = []
    private var head = 0
    private var takers: [(id: UInt64, continuation: CheckedContinuation<Element?, Never>)] = []
    private var nextTaker: UInt64 = 0
    private(set) var isFinished = false

    /// How many items wait.
    var count: Int { items.count - head }

    /// Hands an item to the first taker, or keeps it.
    ///
    /// - Returns: `false` when the queue is finished and the item was not taken in.
    mutating func put(_ element: Element) -> Bool {
        guard !isFinished else { return false }
        if takers.isEmpty {
            items.append(element)
        } else {
            takers.removeFirst().continuation.resume(returning: element)
        }
        return true
    }

    /// Takes an item if one waits.
    mutating func takeNow() -> Element? {
        guard head < items.count else { return nil }
        let element = items[head]
        head += 1
        if head == items.count {
            items = []
            head = 0
        } else if head > 32, head * 2 > items.count {
            items.removeFirst(head)
            head = 0
        }
        return element
    }

    /// A name for a taker, so that it can be withdrawn.
    mutating func makeTaker() -> UInt64 {
        nextTaker += 1
        return nextTaker
    }

    /// Waits for an item; the continuation gets `nil` once the queue is finished or the taker withdrawn.
    mutating func wait(_ id: UInt64, _ continuation: CheckedContinuation<Element?, Never>) {
        if let element = takeNow() {
            continuation.resume(returning: element)
        } else if isFinished {
            continuation.resume(returning: nil)
        } else {
            takers.append((id, continuation))
        }
    }

    /// Sends a waiting taker away with `nil`.
    mutating func withdraw(_ id: UInt64) {
        guard let index = takers.firstIndex(where: { $0.id == id }) else { return }
        takers.remove(at: index).continuation.resume(returning: nil)
    }

    /// Gives every taker, now and later, the same last item.
    mutating func finish(with element: Element) {
        isFinished = true
        for taker in takers { taker.continuation.resume(returning: element) }
        takers = []
    }

    /// Takes in nothing more and sends the takers away.
    ///
    /// - Returns: what was not taken.
    mutating func finish() -> [Element] {
        isFinished = true
        let rest = Array(items[head...])
        items = []
        head = 0
        for taker in takers { taker.continuation.resume(returning: nil) }
        takers = []
        return rest
    }
}
