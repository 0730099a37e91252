/// One limit that an operator may set: its name, what it bounds, and where it stands in ``NodeLimits``.
///
/// Help, errors and the setting itself come from ``all``; a further limit is one more line there.
public struct NodeLimit: Hashable, Sendable {
    /// As an operator writes it, such as `topics-per-account`.
    public let name: String
    /// What it bounds; half a sentence.
    public let help: String
    /// What its numbers count.
    public let unit: LimitUnit
    /// The least and the most it may be, in its unit.
    public let range: ClosedRange<Int>
    let read: @Sendable (NodeLimits) -> Int
    let write: @Sendable (inout NodeLimits, Int) -> Void

    /// A limit that is a whole number.
    init(
        _ name: String, _ path: any WritableKeyPath<NodeLimits, Int> & Sendable, _ help: String,
        in unit: LimitUnit = .count, from range: ClosedRange<Int> = 1...1_000_000_000
    ) {
        self.name = name
        self.help = help
        self.unit = unit
        self.range = range
        read = { $0[keyPath: path] }
        write = { $0[keyPath: path] = $1 }
    }

    /// A limit that is a duration, from 1 ms to 30 days unless told otherwise.
    init(
        _ name: String, _ path: any WritableKeyPath<NodeLimits, Duration> & Sendable, _ help: String,
        from range: ClosedRange<Int> = 1...2_592_000_000
    ) {
        self.name = name
        self.help = help
        unit = .duration
        self.range = range
        read = { limits in
            let (seconds, attoseconds) = limits[keyPath: path].components
            return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        }
        write = { $0[keyPath: path] = .milliseconds($1) }
    }

    /// What it is unless it is set.
    public var defaultText: String { text(in: NodeLimits()) }

    /// What it is in a set of limits.
    public func text(in limits: NodeLimits) -> String { unit.text(read(limits)) }

    public static func == (left: NodeLimit, right: NodeLimit) -> Bool { left.name == right.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
