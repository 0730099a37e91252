import Locks
import TestSupport
import Testing

@testable import PushNodeServer

/// Equal questions at the same time share an answer that began after all of them.
@Suite(.timeLimit(.minutes(2))) struct SharedAnswersTests {
    /// Five ask at any time while what is asked for changes twice; finding it takes a while.
    @Test func nobodyIsToldWhatHeldBefore() async {
        let outcome = await OwnThread.run {
            Exploration(departures: 2).run { run in
                let answers = SharedAnswers<Int, Int, Failure>()
                let value = SystemLock(0)
                let told = SystemLock<[(asked: Int, told: Int)]>([])
                let found = SystemLock((now: 0, most: 0, all: 0))
                let clock = run.clock
                for _ in 0..<5 {
                    run.event {
                        let asked = value.withLock { $0 }
                        let answer = try? await answers.answer(to: 1) { () async throws(Failure) in
                            let present = value.withLock { $0 }
                            found.withLock { found in
                                found.now += 1
                                found.most = max(found.most, found.now)
                                found.all += 1
                            }
                            try? await clock.sleep(for: .seconds(1))
                            found.withLock { $0.now -= 1 }
                            return present
                        }
                        told.withLock { $0.append((asked, answer ?? -1)) }
                    }
                }
                let change: @Sendable () -> Void = { value.withLock { $0 += 1 } }
                run.inOrder([change, change])
                return {
                    let told = told.withLock { $0 }
                    let found = found.withLock { $0 }
                    guard told.count == 5, found.now == 0 else { return "\(told.count) of 5 were told" }
                    guard told.allSatisfy({ $0.told >= $0.asked }) else { return "told an old answer: \(told)" }
                    return found.most == 1 ? nil : "\(found.most) found the same at once"
                }
            }
        }
        #expect(outcome.failure == nil)
        #expect(outcome.runs > 100)
    }

    @Test func manyAskersCostTwoSearches() async throws {
        let clock = VirtualClock()
        let answers = SharedAnswers<Int, Int, Failure>()
        let searches = SystemLock(0)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await answers.answer(to: 7) { () async throws(Failure) in
                        let number = searches.withLock { searches in
                            searches += 1
                            return searches
                        }
                        // The first goes on until all others have asked.
                        if number == 1 { try? await clock.sleep(for: .seconds(1)) }
                        return number
                    }
                }
            }
            await clock.sleepers(1)
            await eventually { answers.waitingCount(7) == 99 }
            clock.advance(by: .seconds(1))
            var told: [Int: Int] = [:]
            for try await answer in group { told[answer, default: 0] += 1 }
            #expect(told == [1: 1, 2: 99])
        }
        #expect(answers.waitingCount(7) == 0)
    }

    @Test func afterAFailureTheNextOnesSearchAnew() async {
        let answers = SharedAnswers<Int, Int, Failure>()
        await #expect(throws: Failure()) {
            try await answers.answer(to: 1) { () async throws(Failure) in throw Failure() }
        }
        let answer = try? await answers.answer(to: 1) { () async throws(Failure) in 3 }
        #expect(answer == 3)
    }

    private struct Failure: Error, Equatable {}
}
