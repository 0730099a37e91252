/// The state of ``LiveQueries``, which its one task owns.
///
/// **Drift.** A query with a limit shows a window of a longer list. A record that leaves the window although it still
/// fits, because others came before it, counts one towards its subscribers' ``DriftBudget``; records that were deleted
/// or stopped fitting do not count, for the window fills up again by itself.
struct LiveQueryWorker {
    private struct Group {
        var window: [JSONObject]
        var streams: [UInt64: EventStream] = [:]
    }

    private var groups: [LiveTopic: Group] = [:]
    /// The records as last read, kept only while someone watches them.
    private var records: [SpaceDataset: [JSONObject]] = [:]
    private var version: UInt64
    private let onFailure: @Sendable (any Error) -> Void
    private let read: LiveQueries.Reader

    init(version: UInt64, onFailure: @escaping @Sendable (any Error) -> Void, read: @escaping LiveQueries.Reader) {
        self.version = version
        self.onFailure = onFailure
        self.read = read
    }

    mutating func perform(_ command: LiveQueries.Command) async {
        switch command {
        case .subscribe(let id, let topic, let stream, let continuation):
            do {
                try await subscribe(id, topic, stream)
                continuation.resume()
            } catch {
                continuation.resume(throwing: error)
            }
        case .leave(let id, let topic):
            groups[topic]?.streams[id] = nil
            if groups[topic]?.streams.isEmpty == true { groups[topic] = nil }
            if !groups.keys.contains(where: { $0.dataset == topic.dataset }) { records[topic.dataset] = nil }
        case .changed(let dataset): await refresh(dataset)
        }
    }

    mutating func closeAll(_ reason: ClosedReason) {
        close(reason) { _ in true }
        records = [:]
    }

    private mutating func subscribe(_ id: UInt64, _ topic: LiveTopic, _ stream: EventStream) async throws {
        // Whatever has changed since these were read has its word before this one, and has been looked at.
        let current: [JSONObject]
        if let known = records[topic.dataset] { current = known } else { current = try await read(topic.dataset) }
        records[topic.dataset] = current
        let result = topic.query.result(of: current)
        var group = groups[topic] ?? Group(window: result.records)
        group.streams[id] = stream
        groups[topic] = group
        stream.begin(.snapshot(result.json))
    }

    private mutating func refresh(_ dataset: SpaceDataset) async {
        records[dataset] = nil
        let topics = groups.keys.filter { $0.dataset == dataset }
        guard !topics.isEmpty else { return }
        let current: [JSONObject]
        do {
            current = try await read(dataset)
        } catch {
            onFailure(error)
            return close(.sdkClosed) { $0.dataset == dataset }
        }
        records[dataset] = current
        version += 1
        for topic in topics { update(topic, current) }
    }

    private mutating func update(_ topic: LiveTopic, _ current: [JSONObject]) {
        guard var group = groups[topic] else { return }
        let matches = topic.query.matches(in: current)
        let window = topic.query.window(of: matches).records
        let changes = QueryChanges(from: group.window, to: window)
        guard !changes.isEmpty else { return }
        let fitting = Set(matches.compactMap { $0.string("id") })
        let displaced = changes.removed.count { fitting.contains($0) }
        let frame = EventFrame.changes(changes.json(versionId: Self.text(of: version)))
        // One that does not keep up is closed by this, and leaves by itself.
        for stream in group.streams.values { stream.send(frame, displacing: displaced) }
        group.window = window
        groups[topic] = group
    }

    private mutating func close(_ reason: ClosedReason, where isMeant: (LiveTopic) -> Bool) {
        for (topic, group) in groups where isMeant(topic) {
            for stream in group.streams.values { stream.close(reason) }
            groups[topic] = nil
        }
    }

    /// Digits of one length, so that versions compare as text.
    private static func text(of version: UInt64) -> String {
        let digits = String(version, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
