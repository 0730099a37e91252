/// How long and how much of everything; what bounds a run.
struct Scale: Sendable {
    /// Warms caches on both sides, and is not counted.
    let warmUp: Duration
    /// How long the honest client measures before, during and after.
    let base: Duration
    let during: Duration
    let after: Duration
    /// The honest client's notifications in a second.
    let rate = 40
    /// What an attack's own numbers are divided by.
    let divisor: Int
    let name: String

    static let whole = Scale(
        warmUp: .seconds(1), base: .seconds(6), during: .seconds(16), after: .seconds(6), divisor: 1, name: "whole")
    static let quick = Scale(
        warmUp: .milliseconds(200), base: .milliseconds(300), during: .milliseconds(600), after: .milliseconds(300),
        divisor: 20, name: "quick")

    static func named(_ name: String) -> Scale? {
        [whole, quick].first { $0.name == name }
    }

    /// A number of an attack at this scale.
    func count(_ whole: Int) -> Int { max(1, whole / divisor) }
}
