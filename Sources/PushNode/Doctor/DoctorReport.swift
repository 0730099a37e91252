/// Why there are, or are not, notifications: what a ``PushDoctor`` found.
public struct DoctorReport: Hashable, Sendable {
    /// What was looked at, in the order of ``DoctorStage/Name``.
    public let stages: [DoctorStage]
    /// What could not be looked at for what a stage before it says; nothing when push is off.
    public let unchecked: [Unchecked]
    /// How long it took.
    public let duration: Duration

    /// A stage that was not looked at.
    public struct Unchecked: Hashable, Sendable {
        /// Which one.
        public let name: DoctorStage.Name
        /// Why, as the end of a sentence.
        public let reason: String
    }

    /// Parts what was looked at from what was not.
    init(_ all: [DoctorStage], duration: Duration) {
        stages = all.filter(\.isChecked)
        unchecked = all.filter { !$0.isChecked }.map { Unchecked(name: $0.name, reason: $0.message) }
        self.duration = duration
    }

    /// Whether nothing failed. Warnings do not count.
    public var isHealthy: Bool { !stages.contains { $0.status == .fail } }

    /// The stage of a name.
    public subscript(name: DoctorStage.Name) -> DoctorStage? { stages.first { $0.name == name } }
}

/// A setting that has to do with push, as whoever read the configuration knows it.
public struct DoctorFact: Hashable, Sendable {
    /// The setting, such as `push.peerId`.
    public let name: String
    /// Its value as text, such as `12D3KooW…` or `not set`.
    public let value: String
    /// Where the value comes from: a file with its line, an environment variable, a flag, the default.
    public let source: String
    /// What is odd about it, as the end of a sentence; `nil` when nothing is.
    public let problem: String?
    /// What to do about that, in a sentence.
    public let fix: String?

    /// A fact; see the properties.
    public init(name: String, value: String, source: String, problem: String? = nil, fix: String? = nil) {
        self.name = name
        self.value = value
        self.source = source
        self.problem = problem
        self.fix = fix
    }
}
