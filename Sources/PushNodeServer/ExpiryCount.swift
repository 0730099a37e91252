/// What was given up because its time was over.
public struct ExpiryCount: Hashable, Sendable, CustomStringConvertible {
    /// Deliveries, each to one device.
    public var deliveries = 0
    /// Notifications whose subscribers were not all matched; how many devices they had left to reach is not known.
    public var notifications = 0

    /// Nothing.
    public init() {}

    /// So many.
    public init(deliveries: Int = 0, notifications: Int = 0) {
        self.deliveries = deliveries
        self.notifications = notifications
    }

    public var description: String {
        var parts: [String] = []
        if deliveries > 0 || notifications == 0 { parts.append("\(deliveries) deliveries") }
        if notifications > 0 { parts.append("what was left to match of \(notifications) notifications") }
        return parts.joined(separator: " and ")
    }

    var isEmpty: Bool { deliveries == 0 && notifications == 0 }

    static func += (left: inout ExpiryCount, right: ExpiryCount) {
        left.deliveries += right.deliveries
        left.notifications += right.notifications
    }
}
