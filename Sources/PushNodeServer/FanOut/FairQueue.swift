/// Numbers that wait in groups: each group gives its turn in rotation and its own numbers in order, so that a group with
/// much to do holds up no other.
struct FairQueue<Group: Hashable> {
    private struct Numbers {
        var numbers: [Int64] = []
        var head = 0

        mutating func removeFirst() {
            head += 1
            // Moved up once half of it is behind, so that each number is moved once on the average.
            guard head * 2 >= numbers.count else { return }
            numbers.removeFirst(head)
            head = 0
        }
    }

    private var waiting: [Group: Numbers] = [:]
    // Groups whose turn comes in this round, the next one last, and those that had their turn or came since.
    private var round: [Group] = []
    private var nextRound: [Group] = []

    /// How many numbers wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds a number at the end of its group.
    mutating func add(_ number: Int64, of group: Group) {
        if waiting[group] == nil { nextRound.append(group) }
        waiting[group, default: Numbers()].numbers.append(number)
        count += 1
    }

    /// The group whose turn it is and its first number, which stays; the group's next turn comes after all others'.
    mutating func next() -> (group: Group, number: Int64)? {
        if round.isEmpty {
            round = nextRound.reversed()
            nextRound = []
        }
        guard let group = round.popLast(), let numbers = waiting[group] else { return nil }
        nextRound.append(group)
        return (group, numbers.numbers[numbers.head])
    }

    /// Takes the first number of a group away.
    mutating func removeFirst(of group: Group) {
        guard var numbers = waiting[group] else { return }
        // Out of the dictionary while it changes, or it would be copied.
        waiting[group] = nil
        numbers.removeFirst()
        count -= 1
        if numbers.numbers.isEmpty {
            if let index = nextRound.lastIndex(of: group) { nextRound.remove(at: index) }
            if let index = round.lastIndex(of: group) { round.remove(at: index) }
        } else {
            waiting[group] = numbers
        }
    }
}
