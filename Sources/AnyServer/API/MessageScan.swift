import PushCrypto

/// Answers a query over the messages of a chat. In the order in which messages are kept, by `_ver.id`, it reads them a page at
/// a time and stops when it has enough; in another order it has to have all that fit.
struct MessageScan {
    private static let pageSize = 200
    /// The most messages of an answer, or to be put in order for one, and the most bytes of their texts.
    private static let maximumMessages = 10_000
    private static let maximumBytes = 32 << 20

    private let query: RecordQuery
    private let isDescending: Bool
    private let isKept: Bool
    private let includesDeleted: Bool

    /// - Parameter includesDeleted: whether what is left of deleted messages fits too.
    init(_ query: RecordQuery, includesDeleted: Bool = false) {
        self.query = query
        self.includesDeleted = includesDeleted
        switch query.sort {
        case QuerySort("_ver", "id"): (isDescending, isKept) = (false, true)
        case QuerySort("_ver", "id", descending: true): (isDescending, isKept) = (true, true)
        default: (isDescending, isKept) = (false, false)
        }
    }

    /// The answer.
    ///
    /// - Throws: ``SpaceError``; `request.invalid_field` when there are more messages than one answer has.
    func result(of chat: String, in space: String, _ store: AccountStore) async throws -> QueryResult {
        var found: [JSONObject] = []
        var (matched, bytes) = (0, 0)
        var page = source
        scanning: while true {
            let messages = try await store.messages(page, in: chat, of: space)
            for message in messages.messages {
                let record = message.record
                guard query.filter.matches(record) else { continue }
                matched += 1
                let isWanted = !isKept || (matched > query.offset && found.count < query.limit ?? .max)
                if isWanted {
                    bytes += message.text.utf8.count
                    guard found.count < Self.maximumMessages, bytes <= Self.maximumBytes else { throw Self.tooMany }
                    found.append(record)
                }
                if isKept, !query.includesTotal, let limit = query.limit, found.count == limit { break scanning }
            }
            guard messages.hasNext, let last = messages.messages.last else { break }
            try Task.checkCancellation()
            if isDescending { page.before = last.versionId } else { page.after = last.versionId }
        }
        guard isKept else { return query.window(of: query.sort.sorted(found)) }
        return QueryResult(
            records: found.map(query.projection.apply(to:)), total: query.includesTotal ? matched : nil,
            hasNext: query.includesTotal ? matched > query.offset + found.count : nil)
    }

    private static var tooMany: APIError {
        APIError.query("limit", "is needed: the chat has more messages that fit than one answer has")
    }

    /// What the store can leave out by itself; the filter decides in the end.
    private var source: MessageQuery {
        var source = MessageQuery()
        source.isDescending = isDescending
        source.includesDeleted = includesDeleted
        // No more than can be wanted, unless the filter may leave some out.
        let wanted = query.filter == .everything && !query.includesTotal ? query.limit.map { $0 + query.offset } : nil
        source.limit = min(Self.pageSize, wanted ?? Self.pageSize)
        for (path, value) in query.filter.requirements {
            switch (path.names, value) {
            case (["mentions"], .string(let text)):
                if source.mentioning == nil { source.mentioning = try? PublicKey(accountAddress: text) }
            case (["unread"], true): source.isUnread = true
            case (["unreadMention"], true): source.isUnreadMention = true
            default: break
            }
        }
        return source
    }
}

extension QueryFilter {
    /// Paths whose value, or an element of it, has to be a certain one.
    fileprivate var requirements: [(FieldPath, JSONValue)] {
        switch self {
        case .all(let filters): filters.flatMap(\.requirements)
        case .isOneOf(let path, let values) where values.count == 1: [(path, values[0])]
        case .any, .not, .isOneOf, .compares, .exists, .hasCount, .isKind, .hasPart: []
        }
    }
}
