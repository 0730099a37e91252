import Locks

/// Lines on their way to the spool, which a thread writes: all that wait at once, for they share its wait for the disk.
final class SpoolQueue: Sendable {
    fileprivate struct Line {
        let number: UInt64
        let bytes: [UInt8]
    }

    fileprivate struct State {
        var next: UInt64 = 0
        /// What is not being written yet, in order.
        var waiting: [Line] = []
        /// Who waits for a line.
        var writers: [UInt64: CheckedContinuation<DeliveryOutcome, Never>] = [:]
        var mustReopen = false
        var isClosed = false
        var thread = Thread.none

        enum Thread { case none, running, ended }
    }

    // What a lane has under way at most is far less; on a disk that hangs it would grow for ever.
    private static let lineLimit = 65_536
    // A file that was let go can be opened again: its lock is gone. A disk that hangs is not waited for.
    private static let closingTime = Duration.seconds(1)

    private let file: SystemLock<SpoolFile?>
    private let report: @Sendable (SpoolError) -> Void
    private let state = SystemMonitor(State())

    init(_ file: sending SpoolFile, report: @escaping @Sendable (SpoolError) -> Void) {
        self.file = SystemLock(file)
        self.report = report
    }

    /// Adds a line with its line feed, and returns when it is on the disk, or not going to be, or the task is cancelled:
    /// then it may be written all the same.
    func add(_ bytes: [UInt8]) async -> DeliveryOutcome {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isTaken = state.withLock { state in
                    guard !state.isClosed, state.waiting.count < Self.lineLimit else { return false }
                    state.waiting.append(Line(number: number, bytes: bytes))
                    state.writers[number] = continuation
                    return true
                }
                guard isTaken, startThread() else {
                    if isTaken {
                        answer(number, .retry(after: nil))
                    } else {
                        continuation.resume(returning: .retry(after: nil))
                    }
                    return
                }
                if Task.isCancelled { giveUp(number) }
            }
        } onCancel: {
            giveUp(number)
        }
    }

    /// Has the thread look what has the file's name.
    func reopen() {
        state.withLock { $0.mustReopen = true }
        _ = startThread()
    }

    /// Writes what waits, and lets go of the file.
    func close() {
        let isRunning = state.withLock { state in
            state.isClosed = true
            return state.thread == .running
        }
        if isRunning { _ = state.wait(within: Self.closingTime) { $0.thread == .ended ? true : nil } }
    }

    private func giveUp(_ number: UInt64) {
        let writer = state.withLock { state in
            // A line whose writer is gone is either being written or not there any more.
            if state.writers[number] != nil { state.waiting.removeAll { $0.number == number } }
            return state.writers.removeValue(forKey: number)
        }
        writer?.resume(returning: .retry(after: nil))
    }

    private func answer(_ number: UInt64, _ outcome: DeliveryOutcome) {
        state.withLock { $0.writers.removeValue(forKey: number) }?.resume(returning: outcome)
    }

    // MARK: The thread

    private func startThread() -> Bool {
        let isNeeded = state.withLock { state in
            defer { if state.thread == .none { state.thread = .running } }
            return state.thread == .none
        }
        guard isNeeded else { return true }
        if SystemThread.start({ [self] in run() }) { return true }
        state.withLock { $0.thread = .none }
        return false
    }

    private func run() {
        while let (lines, mustReopen) = state.wait(until: { $0.takeWork() }), mustReopen || !lines.isEmpty {
            let (written, cause) = file.withLock { file in write(lines, to: file, mustReopen: mustReopen) }
            for (index, line) in lines.enumerated() {
                answer(line.number, index < written ? .delivered : .retry(after: nil, cause: cause))
            }
        }
        file.withLock { $0 = nil }
        state.withLock { $0.thread = .ended }
    }

    /// - Returns: how many of the lines, from the first, are on the disk, and why the others are not.
    private func write(_ lines: [Line], to file: SpoolFile?, mustReopen: Bool) -> (count: Int, cause: RetryCause) {
        var cause = RetryCause.unavailable
        func note(_ error: SpoolError) {
            if case .cannotWrite(_, _, isDiskFull: true) = error { cause = .diskFull }
            report(error)
        }
        do throws(SpoolError) {
            guard let file else { return (0, cause) }
            if mustReopen { try file.reopenIfMoved() }
            let count = lines.isEmpty ? 0 : try file.append(lines.map(\.bytes), report: note)
            return (count, cause)
        } catch {
            note(error)
            return (0, cause)
        }
    }
}

extension SpoolQueue.State {
    /// What is to be done now, nothing once the queue is closed; `nil` to wait.
    fileprivate mutating func takeWork() -> (lines: [SpoolQueue.Line], mustReopen: Bool)? {
        guard !waiting.isEmpty || mustReopen || isClosed else { return nil }
        defer { (waiting, mustReopen) = ([], false) }
        return (waiting, mustReopen)
    }
}
