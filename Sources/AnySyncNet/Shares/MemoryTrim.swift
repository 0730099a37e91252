internal import AnySyncWire
internal import CMalloc

/// Gives memory back to the system after a peak. The C library keeps what was freed for the next use, which may never come.
///
/// Unchecked because it is mutable: it is used on the loop's thread only.
final class MemoryTrim: @unchecked Sendable {
    private unowned let loop: EventLoop
    private let release: @Sendable () -> Void
    private var peak = 0
    private var current = 0
    private var timer: LoopTimer?

    /// - Parameter release: gives back what is free; may take some milliseconds.
    init(_ loop: EventLoop, release: @escaping @Sendable () -> Void = { _ = malloc_trim(0) }) {
        self.loop = loop
        self.release = release
    }

    /// Bytes that must have been given back since the peak to be worth the while.
    static let worth = 4 * 1024 * 1024
    /// How long after a fall memory is given back, so also how often at most.
    static let delay = Duration.seconds(3)

    /// Takes note of how much is held.
    func holding(_ count: Int) {
        current = count
        peak = max(peak, count)
        guard timer == nil, peak - count >= Self.worth else { return }
        timer = loop.schedule(after: Self.delay) { [weak self] in self?.trim() }
    }

    private func trim() {
        timer = nil
        peak = current
        // Elsewhere: the connections have work to do meanwhile. Nobody owns the task, for it ends by itself and touches nothing
        // but the heap of the C library.
        Task { @concurrent [release] in release() }
    }
}
