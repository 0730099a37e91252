import Glibc
import Locks
package import SecretFiles

/// Writes lines to a log, a terminal or a pipe without ever waiting for it.
///
/// Lines wait in memory, bounded by ``Limits``, and a thread of the writer's own writes them. While nobody reads, what does
/// not fit is dropped and counted; once lines are taken again, one of them says how many are missing. Descriptors that the
/// process inherited keep their flags, for whoever started it shares them.
package final class LineWriter: Sendable {
    /// How much waits at most. As much again may be on its way to the destination.
    package struct Limits: Sendable {
        /// Bytes, line ends among them.
        package var bytes = 1 << 20
        /// Lines.
        package var lines = 10_000

        package init() {}
    }

    /// Makes the line that says how many are missing.
    package typealias Notice = @Sendable (_ dropped: Int) -> String

    fileprivate enum Item {
        case line([UInt8])
        case reopen(onFailure: @Sendable (FileError) -> Void)
    }

    fileprivate struct State {
        var items: [Item] = []
        var byteCount = 0
        var lineCount = 0
        /// Lines dropped since the last that was taken. Nothing is taken while there are any, so that the notice of them
        /// stands where they are missing.
        var dropped = 0
        var isWriting = false
        var hasThread = false
        var isClosed = false

        var isIdle: Bool { items.isEmpty && dropped == 0 && !isWriting }
    }

    private let destination: LineDestination
    private let limits: Limits
    private let notice: Notice
    private let state = SystemMonitor(State())

    /// A writer to a descriptor that stays open, such as standard error.
    ///
    /// - Parameter notice: makes the line that says how many are missing.
    package convenience init(descriptor: Int32, limits: Limits = Limits(), notice: @escaping Notice) {
        self.init(LineDestination(descriptor: descriptor), limits, notice)
    }

    /// A writer to a file for its owner only, made when it is missing. When the file is renamed or removed, what follows goes
    /// to a new one of its name.
    ///
    /// - Throws: `FileError` when it cannot be opened; also for a pipe that nobody reads.
    package convenience init(
        appendingTo path: String, limits: Limits = Limits(), notice: @escaping Notice
    ) throws(FileError) {
        self.init(try LineDestination(appendingTo: path), limits, notice)
    }

    private init(_ destination: LineDestination, _ limits: Limits, _ notice: @escaping Notice) {
        self.destination = destination
        self.limits = limits
        self.notice = notice
    }

    /// Whether someone looks at it.
    package var isTerminal: Bool { destination.isTerminal }

    /// Adds a line, which has no end yet. Returns at once.
    package func write(_ line: String) {
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        add { state in
            guard !state.isClosed else { return }
            let hasRoom = state.lineCount < limits.lines && state.byteCount + bytes.count <= limits.bytes
            guard state.dropped == 0, hasRoom else {
                state.dropped += 1
                return
            }
            state.items.append(.line(bytes))
            state.byteCount += bytes.count
            state.lineCount += 1
        }
    }

    /// Has the lines that follow go to whatever has the file's name now. Does nothing to a descriptor.
    ///
    /// - Parameter onFailure: is told why they still go to the file that was open, on the writer's thread.
    package func reopen(onFailure: @escaping @Sendable (FileError) -> Void) {
        guard destination.isFile else { return }
        add { state in
            // More often than the file is written makes no difference.
            if case .reopen? = state.items.last { return }
            state.items.append(.reopen(onFailure: onFailure))
        }
    }

    /// Waits on the calling thread until everything is written, but not for longer than `limit`.
    ///
    /// - Returns: whether everything is written.
    @discardableResult
    package func flush(within limit: Duration) -> Bool {
        state.wait(within: limit) { $0.isIdle ? true : nil } ?? false
    }

    /// Takes no more lines, waits until everything is written, but not for longer than `limit`, and ends the thread as soon
    /// as it is not held up.
    package func close(within limit: Duration) async {
        await withCheckedContinuation { continuation in
            let isWaiting = SystemThread.start { [self] in
                flush(within: limit)
                end()
                continuation.resume()
            }
            if !isWaiting {
                end()
                continuation.resume()
            }
        }
    }

    deinit {
        // The thread holds the state, not the writer.
        end()
    }

    private func end() {
        state.withLock { $0.isClosed = true }
    }

    private func add(_ body: (inout State) -> Void) {
        let needsThread = state.withLock { state in
            body(&state)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard needsThread else { return }
        let isRunning = SystemThread.start { [state, destination, notice] in
            Self.run(state, destination, notice)
        }
        if !isRunning { state.withLock { $0.hasThread = false } }
    }

    private static func run(_ state: SystemMonitor<State>, _ destination: LineDestination, _ notice: Notice) {
        // Lines that are lost and that no line has told of: in a batch those before the line that is written next.
        var missing = 0
        func tell() {
            if missing > 0, destination.write(Array(notice(missing).utf8) + [UInt8(ascii: "\n")]) { missing = 0 }
        }
        while let batch = state.wait(until: { $0.takeBatch() }), !batch.items.isEmpty || batch.dropped > 0 {
            destination.reopenIfMoved()
            for item in batch.items {
                switch item {
                case .reopen(let onFailure):
                    do throws(FileError) { try destination.reopen() } catch { onFailure(error) }
                case .line(let bytes):
                    tell()
                    if missing > 0 || !destination.write(bytes) { missing += 1 }
                }
            }
            missing += batch.dropped
            tell()
            state.withLock { $0.isWriting = false }
        }
    }
}

extension LineWriter.State {
    /// What is to be written now, nothing once the writer is closed; `nil` to wait.
    fileprivate mutating func takeBatch() -> (items: [LineWriter.Item], dropped: Int)? {
        guard !items.isEmpty || dropped > 0 || isClosed else { return nil }
        defer { (items, byteCount, lineCount, dropped) = ([], 0, 0, 0) }
        isWriting = !items.isEmpty || dropped > 0
        return (items, dropped)
    }
}
