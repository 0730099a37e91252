extension ServerCore {
    /// What someone waits for while the server stops.
    enum Condition {
        /// No request is under way.
        case quiet
        /// No connection is open.
        case empty
        /// The server has stopped.
        case stopped
    }

    struct Waiter {
        let condition: Condition
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Stops: no new connections and requests, time for those under way, the last frame to every stream, then the end.
    /// Returns when all of that is done, by this call or another.
    ///
    /// - Parameters:
    ///   - grace: How long requests under way may take.
    ///   - reason: What streams are closed with.
    func stop(grace: Duration, reason: ClosedReason) async {
        guard stage == .running else { return await wait(for: .stopped) }
        stage = .draining
        daemon?.stopListening()
        socketFile?.remove()
        for client in clients.values {
            if case .idle = client.phase { client.connection.abort() }
        }
        await wait(for: .quiet, atMost: grace)
        for (id, client) in clients where client.isBusy { abandon(id) }
        closeStreams(reason)
        await wait(for: .empty, atMost: limits.farewellTime)
        for id in clients.keys { abandon(id) }
        await wait(for: .empty, atMost: limits.farewellTime)
        await end()
    }

    private func end() async {
        for task in handlers.values { task.cancel() }
        deadlines?.cancel()
        keepalives?.cancel()
        // Whatever is left was told to abort and is resumed, so the library finds nothing suspended.
        daemon?.stop()
        daemon = nil
        clients = [:]
        for task in handlers.values { await task.value }
        await deadlines?.value
        await keepalives?.value
        deadlines = nil
        stage = .stopped
        wakeWaiters()
        loop.detach()
    }

    // MARK: Waiting

    /// Tells those who wait that what they wait for has come.
    func wakeWaiters() {
        for (id, waiter) in waiters where isMet(waiter.condition) {
            waiters[id] = nil
            waiter.continuation.resume()
        }
    }

    private func isMet(_ condition: Condition) -> Bool {
        switch condition {
        case .quiet: !clients.values.contains(where: \.isBusy)
        case .empty: clients.isEmpty
        case .stopped: stage == .stopped
        }
    }

    /// Waits until ``wakeWaiters()`` finds the condition met or the time is over.
    private func wait(for condition: Condition, atMost time: Duration) async {
        nextWaiter += 1
        let id = nextWaiter
        let timer = Task { [clock] in
            guard (try? await clock.sleep(clock.now() + time)) != nil else { return }
            waiters.removeValue(forKey: id)?.continuation.resume()
        }
        await wait(for: condition, as: id)
        timer.cancel()
        await timer.value
    }

    private func wait(for condition: Condition) async {
        nextWaiter += 1
        await wait(for: condition, as: nextWaiter)
    }

    private func wait(for condition: Condition, as id: UInt64) async {
        await withCheckedContinuation { continuation in
            waiters[id] = Waiter(condition: condition, continuation: continuation)
            wakeWaiters()
        }
    }
}
