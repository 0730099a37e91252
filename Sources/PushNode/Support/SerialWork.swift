/// Runs pieces of work one after another, each to its end, in the order in which they were asked for.
actor SerialWork {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Does a piece of work once those before it are done; a task that is cancelled still waits for its turn.
    func run<Value: Sendable>(_ work: @Sendable () async -> Value) async -> Value {
        if isBusy {
            await withCheckedContinuation { waiting.append($0) }
        }
        isBusy = true
        let value = await work()
        isBusy = !waiting.isEmpty
        // Still busy: whoever asks now is behind the one that is woken.
        if isBusy { waiting.removeFirst().resume() }
        return value
    }
}
