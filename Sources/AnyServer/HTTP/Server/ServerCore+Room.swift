// Clients that say nothing keep no others out.
extension ServerCore {
    /// Closes connections that wait for a request, or for the rest of one, while more are open than are granted: those first
    /// that have waited longest. A request that is complete, and a stream, keeps its place.
    func makeRoom(besides newcomer: UInt64) {
        while clients.count - leavingCount > limits.connections {
            let candidates = clients.filter { $0.key != newcomer && !$0.value.isLeaving && $0.value.rank != nil }
            let victim = candidates.min {
                ($0.value.rank ?? 0, $0.value.waitsSince) < ($1.value.rank ?? 0, $1.value.waitsSince)
            }
            guard let victim else { return }
            clients[victim.key]?.isLeaving = true
            leavingCount += 1
            victim.value.connection.abort()
        }
    }
}

extension Client {
    /// Whose place goes first, 0 before 1; `nil` for one that stays.
    fileprivate var rank: Int? {
        switch phase {
        case .idle, .refused: 0
        case .reading: 1
        case .handling, .responding, .streaming: nil
        }
    }

    fileprivate var waitsSince: Duration {
        if case .reading = phase { record?.start ?? idleSince } else { idleSince }
    }
}
