import AnySyncNet

/// Numbers that wait in groups: each group gives its turn in rotation and its own numbers in order, so that a group with
/// much to do holds up no other. Every operation takes constant time on the average.
struct Rotation<Group: Hashable> {
    // Each group stands in `order` once. One whose numbers are all gone leaves when its turn comes, not before: it need
    // not be searched for, and has no second place when it gets a number meanwhile.
    private var waiting: [Group: FIFO<Int64>] = [:]
    private var order = FIFO<Group>()

    /// How many numbers wait.
    private(set) var count = 0

    /// Adds a number at the end of its group.
    mutating func add(_ number: Int64, of group: Group) {
        if waiting[group] == nil { order.append(group) }
        waiting[group, default: FIFO()].append(number)
        count += 1
    }

    /// The group whose turn it is and its first number, which stays; the group's next turn comes after all others'.
    mutating func next() -> (group: Group, number: Int64)? {
        while let group = order.popFirst() {
            guard let number = waiting[group]?.first else {
                waiting[group] = nil
                continue
            }
            order.append(group)
            return (group, number)
        }
        return nil
    }

    /// Takes the first number of a group away.
    mutating func removeFirst(of group: Group) {
        if waiting[group]?.popFirst() != nil { count -= 1 }
    }
}
