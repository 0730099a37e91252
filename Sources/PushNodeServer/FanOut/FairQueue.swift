import AnySyncNet

/// Numbers that wait for work, shared out by who caused them: senders take turns, and the spaces of a sender take turns
/// within its own. Spaces cost nothing to make, so a sender with thousands of them has no more of the work than one with
/// a single space.
///
/// Steps of work cost differently, so it is the work that is shared and not the number of steps (deficit round robin, M.
/// Shreedhar and G. Varghese, 1995): each round gives a sender the same credit, and what it overdraws is missing from its
/// next round. With n senders one of them has at least a part of 1 : n, and waits at most for n - 1 turns. Every
/// operation takes constant time on the average.
struct FairQueue<Sender: Hashable, Space: Hashable> {
    /// A step to be done: the first number of a space whose turn it is.
    struct Step: Hashable {
        let sender: Sender
        let space: Space
        let number: Int64
    }

    private struct Share {
        var spaces = Rotation<Space>()
        var credit: Int
    }

    private let quantum: Int
    // As in a rotation, a sender without numbers stays until its turn comes; one that has overdrawn stays longer, or it
    // would be rid of its debt by coming back.
    private var shares: [Sender: Share] = [:]
    private var order = FIFO<Sender>()
    private var current: Sender?

    /// How many numbers wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// - Parameter quantum: what a sender may spend in each round, about the cost of a large step; at least 1.
    init(quantum: Int) {
        self.quantum = max(quantum, 1)
    }

    /// Adds a number at the end of its space.
    mutating func add(_ number: Int64, of sender: Sender, in space: Space) {
        if shares[sender] == nil {
            shares[sender] = Share(credit: quantum)
            order.append(sender)
        }
        shares[sender]?.spaces.add(number, of: space)
        count += 1
    }

    /// The step that is to be done next; its number stays until ``end(_:cost:isDone:)``. One that is never ended, for it
    /// failed, has cost its sender a whole round.
    mutating func next() -> Step? {
        let quantum = quantum
        while let sender = current ?? order.popFirst() {
            current = sender
            guard let credit = shares[sender]?.credit, credit > 0 else {
                shares[sender]?.credit += quantum
                order.append(sender)
                current = nil
                continue
            }
            guard let (space, number) = shares[sender]?.spaces.next() else {
                shares[sender] = nil
                current = nil
                continue
            }
            shares[sender]?.credit -= quantum
            return Step(sender: sender, space: space, number: number)
        }
        return nil
    }

    /// Ends a step.
    ///
    /// - Parameters:
    ///   - cost: what it took, at least 1.
    ///   - isDone: whether its number is done with; otherwise it stays the first of its space.
    mutating func end(_ step: Step, cost: Int, isDone: Bool) {
        let unspent = quantum - max(cost, 1)
        shares[step.sender]?.credit += unspent
        guard isDone else { return }
        shares[step.sender]?.spaces.removeFirst(of: step.space)
        count -= 1
    }
}
