/// How long and how much of everything; what bounds a run.
struct Scale: Sendable {
    /// How long the honest client measures before, during and after.
    let base: Duration
    let during: Duration
    let after: Duration
    /// The honest client's notifications in a second.
    let rate = 40
    /// What an attack's own numbers are divided by.
    let divisor: Int
    let name: String

    static let whole = Scale(base: .seconds(6), during: .seconds(16), after: .seconds(6), divisor: 1, name: "whole")
    static let quick = Scale(
        base: .milliseconds(500), during: .milliseconds(1500), after: .milliseconds(500), divisor: 20, name: "quick")

    static func named(_ name: String) -> Scale? {
        [whole, quick].first { $0.name == name }
    }

    /// A number of an attack at this scale.
    func count(_ whole: Int) -> Int { max(1, whole / divisor) }
}
