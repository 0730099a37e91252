/// How many of the records that a subscriber watches may leave (any-api.md, "Streams").
///
/// A subscriber with a limit sees the first records of a longer list. Records of it that are deleted or do not fit any more
/// spend the budget; past it the subscriber had better ask again. Without a limit there is nothing to spend.
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
