public import Testing

/// Lets other tasks run until a condition holds. A condition that does not come true is an issue of the test that waits
/// for it: at once when the test is cancelled (its time limit), otherwise after two minutes of real time.
public func eventually(
    isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async rethrows {
    let deadline = ContinuousClock.now.advanced(by: .seconds(120))
    var looks = 0
    while !(try await condition()) {
        guard !Task.isCancelled, ContinuousClock.now < deadline else {
            Issue.record("the condition did not come true", sourceLocation: sourceLocation)
            return
        }
        looks += 1
        // What is soon true is seen soon; who waits for longer leaves the cores to those it waits for.
        if looks < 200 {
            await Task.yield()
        } else {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
}
