public import AnySyncNet

/// Everything that a node bounds and an operator may set, in one value.
///
/// The names that an operator writes are those of ``NodeLimit/all``.
public struct NodeLimits: Hashable, Sendable {
    /// What each caller is granted.
    public var service = ServiceLimits()
    /// How much the store may take of its disk.
    public var store = StoreLimits()
    /// What the lane of each platform does at once.
    public var lanes = LaneLimits()
    /// What peers are granted on connections.
    public var net = NetLimits()
    /// What peers are granted in calls.
    public var rpc = RPCLimits()

    /// The defaults named at each property.
    public init() {}

    /// Sets one limit.
    ///
    /// - Parameter assignment: `NAME=VALUE`, such as `topics-per-account=4096`, `held-bytes=64MiB` or `idle-time=10m`.
    /// - Throws: ``NodeLimitError``; nothing is changed then.
    public mutating func set(_ assignment: String) throws(NodeLimitError) {
        guard let sign = assignment.firstIndex(of: "=") else { throw .noAssignment(assignment) }
        let name = String(assignment[..<sign])
        guard let limit = NodeLimit.all.first(where: { $0.name == name }) else { throw .unknown(name: name) }
        let text = String(assignment[assignment.index(after: sign)...])
        guard let value = limit.unit.value(of: text), limit.range.contains(value) else {
            throw .invalidValue(text, of: limit)
        }
        limit.write(&self, value)
    }
}

/// Why a limit was not set.
public enum NodeLimitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was given is not `NAME=VALUE`.
    case noAssignment(String)
    /// No limit has this name.
    case unknown(name: String)
    /// The limit does not take this value.
    case invalidValue(String, of: NodeLimit)

    public var description: String {
        switch self {
        case .noAssignment(let text): "the limit \"\(text)\" has no value; write NAME=VALUE"
        case .unknown(let name): "there is no limit named \"\(name)\""
        case .invalidValue(let text, let limit):
            """
            the limit \(limit.name) cannot be "\(text)"; give \(limit.unit.expectation) from \
            \(limit.unit.text(limit.range.lowerBound)) to \(limit.unit.text(limit.range.upperBound))
            """
        }
    }
}
