import TestSupport

extension VirtualClock {
    /// Lets time pass step by step, with room for others to act between two steps, until something has come true.
    func pass(_ step: Duration, until isDone: () -> Bool) async {
        while !isDone() {
            advance(by: step)
            await Task.yield()
        }
    }
}
