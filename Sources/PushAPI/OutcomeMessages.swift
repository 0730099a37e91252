public import ProtoWire

/// What became of a notification to a device; an open enum, as protobuf enums are.
public struct OutcomeClass: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The provider has it.
    public static let delivered = OutcomeClass(rawValue: 1)
    /// The provider says that the token is nobody's; the node has forgotten it.
    public static let tokenGone = OutcomeClass(rawValue: 2)
    /// The provider does not take this notification.
    public static let payloadRefused = OutcomeClass(rawValue: 3)
    /// The provider could not take it; it is tried again while it is worth it.
    public static let providerUnavailable = OutcomeClass(rawValue: 4)
    /// The disk that the provider writes to is full; it is tried again while it is worth it.
    public static let providerDiskFull = OutcomeClass(rawValue: 5)
    /// The node is set up wrongly for the provider; it is tried again while it is worth it.
    public static let misconfigured = OutcomeClass(rawValue: 6)

    /// The class in JSON; `nil` for one that nobody knows.
    public var name: String? {
        switch self {
        case .delivered: "delivered"
        case .tokenGone: "token_gone"
        case .payloadRefused: "payload_refused"
        case .providerUnavailable: "provider_unavailable"
        case .providerDiskFull: "provider_disk_full"
        case .misconfigured: "misconfigured"
        default: nil
        }
    }
}

/// The answer to ``PushRPC/outcomes``: what became of the last notifications to the caller's device.
public struct OutcomesMessage: PushMessage {
    /// What became of one notification.
    public struct Outcome: Hashable, Sendable {
        /// Counts the device's notifications since the node began to note.
        public var number: UInt64 = 0
        /// How long ago it was last tried, in milliseconds. An age: no two clocks agree on a time.
        public var ageMilliseconds: UInt64 = 0
        /// The device's kind.
        public var platform = Platform.ios
        /// The provider's name.
        public var provider: WireString = ""
        /// What came of it.
        public var outcome = OutcomeClass(rawValue: 0)
        /// How often it was tried.
        public var tries: UInt64 = 0

        /// An outcome without anything.
        public init() {}
    }

    /// The most outcomes that are read; a node of ours sends 8.
    public static let maximumCount = 64

    /// How long the node has been noting, in milliseconds.
    public var notingMilliseconds: UInt64
    /// The outcomes, oldest first.
    public var outcomes: [Outcome]

    /// An answer; see the properties.
    public init(notingMilliseconds: UInt64, outcomes: [Outcome]) {
        self.notingMilliseconds = notingMilliseconds
        self.outcomes = outcomes
    }

    public init(bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init(notingMilliseconds: 0, outcomes: [])
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            switch field {
            case 1: notingMilliseconds = try reader.varint()
            case 2 where outcomes.count < Self.maximumCount: outcomes.append(try Outcome(bytes: try reader.slice()))
            default: try reader.skip()
            }
        }
    }

    public func write(to writer: inout ProtoWriter) {
        writer.varint(1, notingMilliseconds)
        for outcome in outcomes { writer.message(2) { outcome.write(to: &$0) } }
    }
}

extension OutcomesMessage.Outcome {
    fileprivate init(bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init()
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            switch field {
            case 1: number = try reader.varint()
            case 2: ageMilliseconds = try reader.varint()
            case 3: platform = Platform(rawValue: try reader.int32())
            case 4: provider = try reader.string()
            case 5: outcome = OutcomeClass(rawValue: try reader.int32())
            case 6: tries = try reader.varint()
            default: try reader.skip()
            }
        }
    }

    fileprivate func write(to writer: inout ProtoWriter) {
        writer.varint(1, number)
        writer.varint(2, ageMilliseconds)
        writer.int32(3, platform.rawValue)
        writer.string(4, provider)
        writer.int32(5, outcome.rawValue)
        writer.varint(6, tries)
    }
}
