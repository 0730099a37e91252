import Locks

/// Lets those who ask the same question at the same time share one answer, so that a caller cannot make the store work for
/// each of many equal calls.
///
/// Work for an answer begins after everyone who shares it has asked: nobody is told what held before.
final class SharedAnswers<Question: Hashable & Sendable, Answer: Sendable, Failure: Error>: Sendable {
    private enum Turn {
        /// Finds the answer, for these too.
        case finding([Asker])
        case told(Result<Answer, Failure>)
    }

    private typealias Asker = CheckedContinuation<Turn, Never>

    /// Who waits until the work for an earlier answer ends. A question is here as long as there is such work.
    private let waiting = SystemLock<[Question: [Asker]]>([:])

    /// The answer to a question.
    ///
    /// - Parameter find: finds it. It must come to an end by itself: others may wait for it.
    func answer(
        to question: Question, _ find: () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        switch await turn(question) {
        case .told(let result): return try result.get()
        case .finding(let others):
            let result: Result<Answer, Failure>
            do throws(Failure) { result = .success(try await find()) } catch { result = .failure(error) }
            handOn(question)
            for other in others { other.resume(returning: .told(result)) }
            return try result.get()
        }
    }

    /// How many wait for work on an earlier answer to end.
    func waitingCount(_ question: Question) -> Int {
        waiting.withLock { $0[question]?.count ?? 0 }
    }

    private func turn(_ question: Question) async -> Turn {
        await withCheckedContinuation { asker in
            let isFirst = waiting.withLock { waiting in
                guard waiting[question] != nil else {
                    waiting[question] = []
                    return true
                }
                waiting[question]?.append(asker)
                return false
            }
            if isFirst { asker.resume(returning: .finding([])) }
        }
    }

    /// Lets the first of those who wait find the next answer, for all of them.
    private func handOn(_ question: Question) {
        let next = waiting.withLock { waiting in
            let next = waiting[question] ?? []
            waiting[question] = next.isEmpty ? nil : []
            return next
        }
        next.first?.resume(returning: .finding(Array(next.dropFirst())))
    }
}
