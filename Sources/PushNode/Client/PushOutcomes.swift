import AnySyncWire
import ProtoWire
public import PushAPI

/// What a node says became of the last notifications to this device.
public struct PushOutcomes: Hashable, Sendable {
    /// How long the node has been noting: what came before is not known.
    public let noting: Duration
    /// The last notifications, oldest first.
    public let outcomes: [Outcome]

    /// What became of one notification.
    public struct Outcome: Hashable, Sendable {
        /// Counts the device's notifications since the node began to note.
        public let number: UInt64
        /// How long ago it was last tried.
        public let age: Duration
        /// The device's kind.
        public let platform: Platform
        /// The provider's name, made printable.
        public let provider: String
        /// What came of it.
        public let outcome: OutcomeClass
        /// How often it was tried.
        public let tries: UInt64
    }

    /// Reads a node's answer.
    init(_ message: OutcomesMessage) {
        noting = Self.duration(message.notingMilliseconds)
        outcomes = message.outcomes.map { outcome in
            Outcome(
                number: outcome.number, age: Self.duration(outcome.ageMilliseconds), platform: outcome.platform,
                provider: PeerText.printable(Array(outcome.provider.bytes.prefix(32))), outcome: outcome.outcome,
                tries: outcome.tries)
        }
    }

    private static func duration(_ milliseconds: UInt64) -> Duration {
        // Ten years at most: what a node makes up must not overflow what is reckoned with it.
        .milliseconds(Int64(clamping: min(milliseconds, 315_360_000_000)))
    }
}
