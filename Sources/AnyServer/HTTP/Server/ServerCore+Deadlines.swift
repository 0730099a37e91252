extension ServerCore {
    /// Has a connection be dealt with unless it has got on by then.
    func setDeadline(of id: UInt64, in duration: Duration) {
        let deadline = clock.now() + duration
        clients[id]?.deadline = deadline
        // The task looks at all deadlines whenever it wakes, so it need not know of later ones.
        if let target = deadlinesTarget, target <= deadline { return }
        watchDeadlines(until: deadline)
    }

    private func watchDeadlines(until target: Duration) {
        guard daemon != nil else { return }
        deadlinesTarget = target
        deadlines = Task { [previous = deadlines, clock] in
            previous?.cancel()
            await previous?.value
            guard (try? await clock.sleep(target)) != nil, !Task.isCancelled else { return }
            expire()
        }
    }

    private func expire() {
        deadlinesTarget = nil
        let now = clock.now()
        for (id, client) in clients {
            if let deadline = client.deadline, deadline <= now { expire(id, client) }
        }
        if let next = clients.values.compactMap(\.deadline).min() { watchDeadlines(until: next) }
    }

    private func expire(_ id: UInt64, _ client: Client) {
        clients[id]?.deadline = nil
        switch client.phase {
        case .handling:
            // The handler's late answer finds another exchange, or none.
            if let exchange = client.exchange { handlers[exchange]?.cancel() }
            clients[id]?.exchange = nil
            let error = APIError(.unavailable, "the request took too long")
            answer(id, EncodedResponse(error.response))
        case .reading(let head): cutUpload(id, head)
        case .idle, .responding, .streaming, .refused: client.connection.abort()
        }
    }
}
