/// A search over the orders of what can happen: each run takes the choices of the one before, but for the last that has
/// another way left.
public struct Choices {
    /// At how many points an order departs from the first way there is.
    public let departures: Int
    /// What the present run has chosen.
    public private(set) var taken: [(choice: Int, options: Int)] = []
    private var prefix: [Int] = []

    public init(departures: Int) {
        self.departures = departures
    }

    /// Chooses one of so many ways.
    public mutating func choose(_ options: Int) -> Int {
        guard options > 1 else { return 0 }
        let choice = taken.count < prefix.count ? prefix[taken.count] : 0
        precondition(choice < options, "a scenario must go the same way every time")
        taken.append((choice, options))
        return choice
    }

    /// Goes on to the next order; `false` when every one was tried.
    public mutating func next() -> Bool {
        while let last = taken.popLast() {
            guard last.choice + 1 < last.options, taken.count(where: { $0.choice > 0 }) < departures else { continue }
            prefix = taken.map(\.choice) + [last.choice + 1]
            taken = []
            return true
        }
        return false
    }
}
