/// What one side makes and another waits for: items in order, or waiting takers in order. Belongs to one actor.
package struct HandoffQueue<Element: Sendable> {
    private struct Taker {
        let id: UInt64
        let continuation: CheckedContinuation<Element?, Never>
    }

    private var items = FIFO<Element>()
    private var takers = FIFO<Taker>()
    private var nextTaker: UInt64 = 0
    private var isFinished = false

    /// An empty queue.
    package init() {}

    /// Hands an item to the first taker, or keeps it.
    ///
    /// - Returns: `false` when the queue is finished and the item was not taken in.
    package mutating func put(_ element: Element) -> Bool {
        guard !isFinished else { return false }
        if let taker = takers.popFirst() {
            taker.continuation.resume(returning: element)
        } else {
            items.append(element)
        }
        return true
    }

    /// Takes an item if one waits.
    package mutating func takeNow() -> Element? {
        items.popFirst()
    }

    /// A name for a taker, so that it can be withdrawn.
    package mutating func makeTaker() -> UInt64 {
        nextTaker += 1
        return nextTaker
    }

    /// Waits for an item; the continuation gets `nil` once the queue is finished or the taker withdrawn.
    package mutating func wait(_ id: UInt64, _ continuation: CheckedContinuation<Element?, Never>) {
        if let element = takeNow() {
            continuation.resume(returning: element)
        } else if isFinished {
            continuation.resume(returning: nil)
        } else {
            takers.append(Taker(id: id, continuation: continuation))
        }
    }

    /// Sends a waiting taker away with `nil`.
    package mutating func withdraw(_ id: UInt64) {
        takers.removeFirst { $0.id == id }?.continuation.resume(returning: nil)
    }

    /// Takes in nothing more and sends the takers away.
    ///
    /// - Parameter last: what the takers get.
    /// - Returns: what was not taken.
    @discardableResult
    package mutating func finish(with last: Element? = nil) -> [Element] {
        isFinished = true
        for taker in takers.removeAll() { taker.continuation.resume(returning: last) }
        return items.removeAll()
    }
}
