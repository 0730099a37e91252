/// How far the window that a subscriber watches may move away from its snapshot.
///
/// A subscriber with a limit sees the first records of a longer list. Records that enter push others out, and the
/// further that goes the less its copy resembles a fresh answer; past the budget it had better ask again. Without a
/// limit nothing is pushed out and there is nothing to spend.
struct DriftBudget: Hashable, Sendable {
    private var left: Int?

    /// A budget in percent of the window's size, which is `nil` when the window is everything. A part of a record counts as
    /// a whole one: a window of three with 30 percent may lose one.
    init(percent: Int, windowSize: Int?) {
        left = windowSize.map { size in
            let (product, isTooLarge) = size.multipliedReportingOverflow(by: percent)
            return isTooLarge ? size : product / 100 + (product % 100 == 0 ? 0 : 1)
        }
    }

    /// Takes `count` records from the budget.
    ///
    /// - Returns: Whether there were that many.
    mutating func spend(_ count: Int) -> Bool {
        guard let left, count > 0 else { return true }
        self.left = left - min(count, left)
        return count <= left
    }
}
