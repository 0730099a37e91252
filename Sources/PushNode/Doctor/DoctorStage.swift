/// One thing that a ``PushDoctor`` looked at.
public struct DoctorStage: Hashable, Sendable {
    /// What it looked at, in the order of a report. The raw value is the stage's name in JSON.
    public enum Name: String, Hashable, Sendable, CaseIterable {
        /// The settings and where each comes from.
        case configuration
        /// The node's host names.
        case resolution
        /// The way to the node's addresses.
        case connect
        /// TLS with the node, and that it is the node.
        case tls
        /// The credential handshake, and the protocol versions of both sides.
        case handshake
        /// Whether what goes to the node is encrypted on the path.
        case encryption
        /// One call to the node, there and back.
        case roundTrip = "round_trip"
        /// The device's token.
        case token
        /// The keys of each space.
        case spaceKeys = "space_keys"
        /// The topics that the node holds against those that it should.
        case topics
        /// What the user's settings keep quiet.
        case muted
        /// What waits for the node, and what came to nothing.
        case queue
        /// What became of the last notifications to the phone.
        case deliveries
        /// The device's clock.
        case clock
    }

    /// How it looked.
    public enum Status: String, Hashable, Sendable, Comparable {
        case ok
        /// It works, but hardly as it was meant.
        case warning
        case fail

        public static func < (left: Status, right: Status) -> Bool { left.weight < right.weight }

        private var weight: Int {
            switch self {
            case .ok: 0
            case .warning: 1
            case .fail: 2
            }
        }
    }

    /// A line beside the sentence, such as one for each address.
    public struct Detail: Hashable, Sendable {
        /// What it is about.
        public let name: String
        /// What there is to say.
        public let value: String

        /// A line; see the properties.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What was looked at.
    public let name: Name
    /// How it looked.
    public let status: Status
    /// Whether it was looked at. When not, ``message`` says why and it is no part of ``DoctorReport/stages``.
    public let isChecked: Bool
    /// What was found, in one sentence.
    public let message: String
    /// What to do about it; `nil` when there is nothing to do.
    public let fix: String?
    /// More lines; a bounded number.
    public let details: [Detail]

    init(
        _ name: Name, _ status: Status, _ message: String, fix: String? = nil, details: [Detail] = [],
        isChecked: Bool = true
    ) {
        self.name = name
        self.status = status
        self.message = message
        self.fix = fix
        self.details = Self.bounded(details)
        self.isChecked = isChecked
    }

    /// A stage that could not be looked at.
    static func notChecked(_ name: Name, because reason: String, details: [Detail] = []) -> DoctorStage {
        DoctorStage(name, .warning, reason, details: details, isChecked: false)
    }

    /// The details of one stage at most.
    static let detailLimit = 64

    private static func bounded(_ details: [Detail]) -> [Detail] {
        guard details.count > detailLimit else { return details }
        let rest = details.count - detailLimit + 1
        return Array(details.prefix(detailLimit - 1)) + [Detail("more", "\(rest) lines more")]
    }
}
