/// Elements in the order they came; taking the first costs O(1) on average.
package struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    /// An empty queue.
    package init() {}

    package var count: Int { elements.count - head }
    package var isEmpty: Bool { count == 0 }
    package var first: Element? { head < elements.count ? elements[head] : nil }

    package mutating func append(_ element: Element) {
        elements.append(element)
    }

    package mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        defer {
            elements[head] = nil
            head += 1
            if head == elements.count {
                self = FIFO()
            } else if head > 32, head * 2 > elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }

    /// Takes out the first element that fits; O(n).
    package mutating func removeFirst(where fits: (Element) -> Bool) -> Element? {
        guard let index = elements.firstIndex(where: { $0.map(fits) ?? false }) else { return nil }
        return elements.remove(at: index)
    }

    /// Takes out everything.
    package mutating func removeAll() -> [Element] {
        defer { self = FIFO() }
        return elements[head...].compactMap { $0 }
    }
}
