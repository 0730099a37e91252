import Locks

/// Queries whose subscribers hear of every change of their answers.
///
/// One task does everything in order: it reads the records when someone has said that they changed, works out each
/// different query once however many subscribers it has, and waits for none of them. A new subscriber starts from the
/// state that the query's others have, so that one frame serves them all. Writers only leave word, and what is left
/// while the task is at work counts once.
final class LiveQueries: Sendable {
    /// Reads the records of a dataset as they are now.
    typealias Reader = @Sendable (LiveDataset) async throws -> any LiveRecords

    /// What the task is told.
    enum Command: Sendable {
        case subscribe(UInt64, LiveTopic, EventStream, CheckedContinuation<Void, any Error>)
        case leave(UInt64, LiveTopic)
        case changed(LiveDataset)
    }

    private let commands: AsyncStream<Command>.Continuation
    private let state: SystemLock<State>
    private let task: Task<Void, Never>

    struct State {
        /// Of what the task has been told and has not looked yet.
        var changed: Set<LiveDataset> = []
        var nextId: UInt64 = 0
        /// Why all streams end.
        var reason: ClosedReason?
    }

    /// - Parameters:
    ///   - firstVersion: What versions count from; greater than those of earlier runs, such as the time.
    ///   - onFailure: Hears of a reader's errors that end streams.
    ///   - read: See ``Reader``.
    init(
        firstVersion: UInt64, onFailure: @escaping @Sendable (any Error) -> Void = { _ in }, read: @escaping Reader
    ) {
        let (queue, commands) = AsyncStream<Command>.makeStream()
        let state = SystemLock(State())
        self.commands = commands
        self.state = state
        task = Task { @concurrent in
            var worker = LiveQueryWorker(version: firstVersion, onFailure: onFailure, read: read)
            for await command in queue {
                if case .changed(let dataset) = command {
                    // Before the records are read, so that a later change is a further word.
                    _ = state.withLock { $0.changed.remove(dataset) }
                }
                await worker.perform(command)
            }
            worker.closeAll(state.withLock { $0.reason } ?? .sdkClosed)
        }
    }

    /// Sends a query's present answer to a stream, and from then on what changes.
    ///
    /// - Throws: What the reader throws, and `CancellationError` once all is closed. The stream has ended then.
    func subscribe(_ stream: EventStream, to topic: LiveTopic) async throws {
        let id = state.withLock { state in
            state.nextId += 1
            return state.nextId
        }
        do {
            try await withCheckedThrowingContinuation { continuation in
                let result = commands.yield(.subscribe(id, topic, stream, continuation))
                if case .terminated = result { continuation.resume(throwing: CancellationError()) }
            }
        } catch {
            stream.end()
            throw error
        }
        stream.onEnd { [commands] in commands.yield(.leave(id, topic)) }
    }

    /// The records of a dataset have changed. Returns at once.
    func changed(_ dataset: LiveDataset) {
        let isNew = state.withLock { $0.changed.insert(dataset).inserted }
        if isNew { commands.yield(.changed(dataset)) }
    }

    /// Ends every stream, and returns when nothing runs any more.
    func close(_ reason: ClosedReason) async {
        state.withLock { state in
            if state.reason == nil { state.reason = reason }
        }
        commands.finish()
        await task.value
    }
}

/// What a subscriber watches.
struct LiveTopic: Hashable, Sendable {
    let dataset: LiveDataset
    let query: RecordQuery
}

/// What live queries are about.
enum LiveDataset: Hashable, Sendable {
    /// A dataset of the account itself.
    case account(SpaceDataset)
    /// The messages of a chat.
    case messages(space: String, chat: String)
    /// Everything in a space: nobody watches that, but with the space all of it may go.
    case space(String)
    /// A dataset that an object does not have: it is empty.
    case nothing
}

/// The datasets of the account itself (any-api.md: `dataset? spaces|profile`).
enum SpaceDataset: String, Hashable, Sendable, CaseIterable {
    /// A record for each space.
    case spaces
    /// One record: the account's own.
    case profile
}
