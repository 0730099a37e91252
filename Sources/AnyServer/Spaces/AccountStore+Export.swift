import PushCrypto
import SQLiteStorage

// A space as a file that can travel (see ``ExportLine``).
extension AccountStore {
    /// About how many bytes of records and changes a page has before they are base64.
    static let exportPageByteCount = 384 * 1024
    // Read at a time; their bytes are what a page is measured by.
    private static let exportRecordCount = 512

    /// A page of an export.
    struct ExportPage: Hashable, Sendable {
        /// The lines, about 512 KiB of JSON; more when a single record is larger.
        let lines: [JSONObject]
        /// Where the next page begins, `nil` when this is the last.
        let next: String?
    }

    /// One page of a space's export. What is written between two pages may be in the export or not.
    ///
    /// - Parameters:
    ///   - id: the space, of which the account must have the log.
    ///   - cursor: ``ExportPage/next`` of the page before; `nil` for the first.
    /// - Throws: ``SpaceError/notFound``, ``SpaceError/deleted``, or ``SpaceError/badCursor``.
    func exportPage(of id: String, cursor: String? = nil) throws -> ExportPage {
        try read { connection in
            let space = try stored(id, connection)
            guard !space.isTombstone else { throw SpaceError.deleted }
            switch try ExportCursor(cursor) {
            case .records(let position): return try recordPage(of: space, from: position, connection)
            case .chats(let cursor):
                let page = try chatChanges(
                    of: id, after: cursor, byteLimit: Self.exportPageByteCount, connection
                )
                guard let page else { throw SpaceError.badCursor }
                return ExportPage(
                    lines: page.changes.map { ExportLine.change(id: $0.id, change: $0.bytes).json },
                    next: page.next.map { ExportCursor.chats($0).text }
                )
            }
        }
    }

    private func recordPage(
        of space: StoredSpace, from position: Int, _ connection: SQLiteConnection
    ) throws -> ExportPage {
        var lines: [JSONObject] = []
        if position == 0 {
            lines.append(
                ExportLine.space(id: space.id, header: space.header, recordCount: space.recordCount).json
            )
        }
        let records = try RecordTable(connection: connection).records(
            of: space.id, from: position, limit: Self.exportRecordCount, byteLimit: Self.exportPageByteCount
        )
        var next = position
        for record in records {
            lines.append(ExportLine.record(position: next, record).json)
            if next == 0 {
                lines += try ownSettings(of: space, connection).map { ExportLine.settings(sealed: $0).json }
            }
            next += 1
        }
        guard next >= space.recordCount else {
            return ExportPage(lines: lines, next: ExportCursor.records(next).text)
        }
        for change in try DetailsTable(connection: connection).changes(of: space.id) {
            lines.append(ExportLine.details(id: change.id, change: change.bytes).json)
        }
        return ExportPage(lines: lines, next: ExportCursor.chats(nil).text)
    }
}

/// Where a page of an export begins.
enum ExportCursor: Hashable, Sendable {
    /// At this record of the log.
    case records(Int)
    /// At this change of the chats; at the first when it is `nil`.
    case chats(String?)

    private static let recordPrefix = "acl:"
    private static let chatPrefix = "chat:"

    /// Reads a cursor; none is the beginning.
    ///
    /// - Throws: ``SpaceError/badCursor``.
    init(_ text: String?) throws(SpaceError) {
        guard let text else {
            self = .records(0)
            return
        }
        if text.hasPrefix(Self.recordPrefix) {
            guard let position = Int(text.dropFirst(Self.recordPrefix.count)), position > 0 else { throw .badCursor }
            self = .records(position)
        } else if text.hasPrefix(Self.chatPrefix) {
            let rest = String(text.dropFirst(Self.chatPrefix.count))
            self = .chats(rest.isEmpty ? nil : rest)
        } else {
            throw .badCursor
        }
    }

    var text: String {
        switch self {
        case .records(let position): Self.recordPrefix + String(position)
        case .chats(let cursor): Self.chatPrefix + (cursor ?? "")
        }
    }
}
