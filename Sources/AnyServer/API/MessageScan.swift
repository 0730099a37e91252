import PushCrypto

/// Answers a query over the messages of a chat without having all of them in memory: it reads them in the order asked
/// for, a page at a time, and stops when it has enough.
struct MessageScan {
    private static let pageSize = 200

    private let query: RecordQuery
    private let isDescending: Bool

    /// - Throws: `request.invalid_field` for an order that messages are not kept in.
    init(_ query: RecordQuery) throws(APIError) {
        switch query.sort {
        case QuerySort("_ver", "id"): isDescending = false
        case QuerySort("_ver", "id", descending: true): isDescending = true
        default: throw APIError.query("sort", "must be _ver.id or -_ver.id for messages")
        }
        self.query = query
    }

    /// The answer.
    ///
    /// - Throws: ``SpaceError``.
    func result(of chat: String, in space: String, _ store: AccountStore) async throws -> QueryResult {
        let limit = query.limit ?? RecordQuery.limits.upperBound
        var found: [JSONObject] = []
        var matched = 0
        var page = source
        scanning: while true {
            let messages = try await store.messages(page, in: chat, of: space)
            for message in messages.messages {
                let record = message.record
                guard query.filter.matches(record) else { continue }
                matched += 1
                if matched > query.offset, found.count < limit { found.append(query.projection.apply(to: record)) }
                // One more than fits tells that there are more.
                if !query.includesTotal, matched > query.offset + limit { break scanning }
            }
            guard messages.hasNext, let last = messages.messages.last else { break }
            try Task.checkCancellation()
            if isDescending { page.before = last.versionId } else { page.after = last.versionId }
        }
        return QueryResult(
            records: found, total: query.includesTotal ? matched : nil, hasNext: matched > query.offset + limit)
    }

    /// What the store can leave out by itself; the filter decides in the end.
    private var source: MessageQuery {
        var source = MessageQuery()
        source.isDescending = isDescending
        source.limit = Self.pageSize
        for (path, value) in query.filter.requirements {
            switch (path.names, value) {
            case (["mentions"], .string(let text)):
                if source.mentioning == nil { source.mentioning = try? PublicKey(accountAddress: text) }
            case (["unread"], .bool(let isWanted)): source.isUnread = isWanted
            case (["unreadMention"], .bool(let isWanted)): source.isUnreadMention = isWanted
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
        case .any, .not, .isOneOf, .compares, .exists: []
        }
    }
}
