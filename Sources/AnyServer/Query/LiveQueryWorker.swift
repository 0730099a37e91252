/// The state of ``LiveQueries``, which its one task owns.
///
/// **Drift.** A query with a limit shows a window of a longer list. A record that leaves the window by itself, because it was
/// deleted or does not fit any more, counts one towards its subscribers' ``DriftBudget``, once the change has been sent; one
/// that others displaced does not.
struct LiveQueryWorker {
    private struct Group {
        var window: [JSONObject]
        var streams: [UInt64: EventStream] = [:]
    }

    private var groups: [LiveTopic: Group] = [:]
    /// The records as last read, kept only while someone watches them.
    private var records: [LiveDataset: any LiveRecords] = [:]
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
        case .changed(.space(let space)):
            for dataset in Set(groups.keys.map(\.dataset)) {
                if case .messages(space, _) = dataset { await refresh(dataset) }
            }
        case .changed(let dataset): await refresh(dataset)
        }
    }

    mutating func closeAll(_ reason: ClosedReason) {
        close(reason) { _ in true }
        records = [:]
    }

    private mutating func subscribe(_ id: UInt64, _ topic: LiveTopic, _ stream: EventStream) async throws {
        // Whatever has changed since these were read has its word before this one, and has been looked at.
        let current: any LiveRecords
        if let known = records[topic.dataset] { current = known } else { current = try await read(topic.dataset) }
        let result = try await current.result(of: topic.query)
        records[topic.dataset] = current
        if groups[topic] != nil {
            // The others see what this one begins with: records that are read when asked for may be newer than theirs.
            version += 1
            try await update(topic, to: result.records, current)
        }
        var group = groups[topic] ?? Group(window: result.records)
        group.streams[id] = stream
        groups[topic] = group
        stream.begin(.snapshot(result.json))
    }

    private mutating func refresh(_ dataset: LiveDataset) async {
        records[dataset] = nil
        let topics = groups.keys.filter { $0.dataset == dataset }
        guard !topics.isEmpty else { return }
        do {
            let current = try await read(dataset)
            records[dataset] = current
            version += 1
            for topic in topics {
                try await update(topic, to: try await current.result(of: topic.query).records, current)
            }
        } catch SpaceError.deleted, SpaceError.removed {
            close(.objectDeleted) { $0.dataset == dataset }
        } catch {
            onFailure(error)
            close(.sdkClosed) { $0.dataset == dataset }
        }
    }

    private mutating func update(
        _ topic: LiveTopic, to window: [JSONObject], _ current: any LiveRecords
    ) async throws {
        guard var group = groups[topic] else { return }
        let changes = try await QueryChanges(from: group.window, to: window) { id in
            try await current.reason(id, in: topic.query)
        }
        guard !changes.isEmpty else { return }
        let frame = EventFrame.changes(changes.json(versionId: Self.text(of: version)))
        // One that does not keep up, or has drifted, is closed by this, and leaves by itself.
        for stream in group.streams.values { stream.send(frame, drifting: changes.leftCount) }
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
