/// What became of a query's window since its subscribers last heard (any-api.md, "SSE" and "Streams").
///
/// A record that enters the window is `added`, whatever the reason: made, fitting now, or pulled in; one that leaves it is
/// `removed`, with the reason. An `updated` record was in the window and is. Where a record stands follows from its fields
/// and the query's order.
struct QueryChanges: Sendable {
    /// A record as it is now, and the steps to it.
    struct Entry: Sendable {
        let id: String
        let record: JSONObject
        let operations: [RecordOperation]

        fileprivate var json: JSONValue {
            ["id": .string(id), "doc": .object(record), "ops": .array(operations.map(\.json))]
        }
    }

    /// A record that left the window.
    struct Removal: Hashable, Sendable {
        /// Why a record left.
        enum Reason: String, Hashable, Sendable, CaseIterable {
            /// There is no such record any more.
            case deleted
            /// It does not fit the filter any more.
            case filteredOut = "filtered-out"
            /// Others came before it.
            case displaced
        }

        let id: String
        let reason: Reason

        fileprivate var json: JSONValue { ["id": .string(id), "reason": .string(reason.rawValue)] }
    }

    var added: [Entry] = []
    var updated: [Entry] = []
    var removed: [Removal] = []

    var isEmpty: Bool { added.isEmpty && updated.isEmpty && removed.isEmpty }

    /// How many records left by themselves: what drift counts. Those that others displaced do not.
    var leftCount: Int { removed.count { $0.reason != .displaced } }

    /// What became of `old` when it became `new`.
    ///
    /// - Parameter reason: Why a record that left did.
    init(
        from old: [JSONObject], to new: [JSONObject], reason: (String) async throws -> Removal.Reason
    ) async rethrows {
        let before = Dictionary(old.map { (Self.id(of: $0), $0) }) { first, _ in first }
        let ids = Set(new.map(Self.id(of:)))
        for record in new {
            let id = Self.id(of: record)
            guard let earlier = before[id] else {
                added.append(Entry(id: id, record: record, operations: RecordOperation.building(record)))
                continue
            }
            let operations = RecordOperation.difference(from: earlier, to: record)
            if !operations.isEmpty { updated.append(Entry(id: id, record: record, operations: operations)) }
        }
        for id in old.map(Self.id(of:)) where !ids.contains(id) {
            removed.append(Removal(id: id, reason: try await reason(id)))
        }
    }

    /// The payload of a `changes` event: `[{versionId, added, updated, removed}]`.
    func json(versionId: String) -> JSONValue {
        [
            [
                "versionId": .string(versionId), "added": .array(added.map(\.json)),
                "updated": .array(updated.map(\.json)), "removed": .array(removed.map(\.json)),
            ]
        ]
    }

    /// The shape of a `changes` event's payload.
    static let schema = Schema.named(
        "QueryChanges",
        .array(
            of: .object([
                .required("versionId", .string(), "Of the state after the changes; later ones are greater."),
                .required("added", .array(of: entry)), .required("updated", .array(of: entry)),
                .required(
                    "removed",
                    .array(
                        of: .object([
                            .required("id", .string()),
                            .required("reason", .oneOf(Removal.Reason.allCases.map(\.rawValue))),
                        ]))),
            ])))

    private static let entry = Schema.named(
        "ChangedRecord",
        .object([
            .required("id", .string()), .required("doc", .anyObject, "The record as it is now."),
            .required(
                "ops",
                .array(
                    of: .object([
                        .required("type", .oneOf(["$set", "$unset"])), .required("path", .array(of: .string())),
                        .optional("payload", .any),
                    ])), "The steps from the record's earlier state, or from nothing."),
        ]))

    private static func id(of record: JSONObject) -> String { record.string("id") ?? "" }
}
