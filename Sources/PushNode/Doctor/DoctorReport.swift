/// Why there are, or are not, notifications: what a ``PushDoctor`` found.
public struct DoctorReport: Hashable, Sendable {
    /// Every stage, in the order of ``DoctorStage/Name``.
    public let stages: [DoctorStage]
    /// How long it took.
    public let duration: Duration

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
    /// What is odd about it, in a sentence; `nil` when nothing is.
    public let problem: String?

    /// A fact; see the properties.
    public init(name: String, value: String, source: String, problem: String? = nil) {
        self.name = name
        self.value = value
        self.source = source
        self.problem = problem
    }
}
