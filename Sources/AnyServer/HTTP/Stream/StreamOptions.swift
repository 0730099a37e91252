/// What a subscriber may ask of its stream, with the bounds of any-api.md ("POST /v1/spaces/query/subscribe").
struct StreamOptions: Hashable, Sendable {
    /// Frames that wait for a subscriber that reads slowly; one more ends its stream.
    private(set) var mailboxCapacity = Self.defaultMailboxCapacity
    /// How much of the watched window may leave, in percent, before the stream ends.
    private(set) var driftBudgetPercent = Self.defaultDriftBudgetPercent

    static let defaultMailboxCapacity = 256
    /// 16 by the contract; the most is ours, so that a mailbox is bounded.
    static let mailboxCapacities = 16...65_536
    static let defaultDriftBudgetPercent = 30
    static let driftBudgetPercents = 0...100

    /// The fields with which a body asks for other options.
    static let fields: [SchemaField] = [
        .optional("mailboxCapacity", .integer(mailboxCapacities), "Frames that wait for a reader; 256 unless told."),
        .optional("driftBudgetPercent", .integer(driftBudgetPercents), "30 unless told."),
    ]

    /// The defaults.
    init() {}

    /// Takes the options from a body that ``fields`` have let through.
    init(_ body: JSONObject) {
        mailboxCapacity = body.integer("mailboxCapacity") ?? Self.defaultMailboxCapacity
        driftBudgetPercent = body.integer("driftBudgetPercent") ?? Self.defaultDriftBudgetPercent
    }

    /// The options given directly, moved into their bounds.
    init(mailboxCapacity: Int, driftBudgetPercent: Int = Self.defaultDriftBudgetPercent) {
        self.mailboxCapacity = Self.mailboxCapacities.nearest(to: mailboxCapacity)
        self.driftBudgetPercent = Self.driftBudgetPercents.nearest(to: driftBudgetPercent)
    }
}

extension ClosedRange {
    fileprivate func nearest(to value: Bound) -> Bound {
        Swift.min(Swift.max(value, lowerBound), upperBound)
    }
}
