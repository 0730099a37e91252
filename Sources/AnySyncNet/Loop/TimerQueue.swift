package import AnySyncWire

/// One pending action of a ``TimerQueue``. Belongs to the loop's thread.
package final class LoopTimer {
    package let deadline: MonotonicTime
    fileprivate var action: (() -> Void)?
    fileprivate var position = -1
    fileprivate weak var queue: TimerQueue?

    fileprivate init(deadline: MonotonicTime, queue: TimerQueue, action: @escaping () -> Void) {
        self.deadline = deadline
        self.queue = queue
        self.action = action
    }

    /// Forgets the action. Does nothing once it has run.
    package func cancel() {
        action = nil
        queue?.remove(self)
    }
}

/// Actions by deadline: a binary heap whose entries know their place, so that cancelling costs O(log n) and leaves
/// nothing behind. Most timers guard a call or a handshake and are cancelled long before they are due.
final class TimerQueue {
    private var heap: [LoopTimer] = []

    /// The next deadline.
    var first: MonotonicTime? { heap.first?.deadline }

    func schedule(at deadline: MonotonicTime, _ action: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(deadline: deadline, queue: self, action: action)
        timer.position = heap.count
        heap.append(timer)
        siftUp(timer.position)
        return timer
    }

    /// Runs what is due at `now`. An action may start and cancel timers; one that it starts for now or earlier runs
    /// too.
    func run(until now: MonotonicTime) {
        while let timer = heap.first, timer.deadline <= now {
            remove(timer)
            let action = timer.action
            timer.action = nil
            action?()
        }
    }

    /// Forgets every action.
    func removeAll() {
        for timer in heap {
            timer.position = -1
            timer.action = nil
        }
        heap = []
    }

    fileprivate func remove(_ timer: LoopTimer) {
        let position = timer.position
        guard position >= 0 else { return }
        timer.position = -1
        let last = heap.removeLast()
        guard last !== timer else { return }
        heap[position] = last
        last.position = position
        siftUp(position)
        siftDown(last.position)
    }

    private func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].deadline < heap[parent].deadline else { return }
            swap(child, parent)
            child = parent
        }
    }

    private func siftDown(_ start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].deadline < heap[least].deadline { least = child }
            }
            guard least != parent else { return }
            swap(parent, least)
            parent = least
        }
    }

    private func swap(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        heap[left].position = left
        heap[right].position = right
    }
}
