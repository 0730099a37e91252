import Locks
import TestSupport
import Testing

@testable import AnySyncNet

/// The pool of a client's streams, under every order of what its calls do and of what ends them.
@Suite(.timeLimit(.minutes(2))) struct StreamPoolTests {
    private static let closed = CallError.transport(.closed(.local, detail: "closed"))

    /// How opening the streams of a run goes, in order; after these each succeeds.
    private enum Opening { case good, failing, full }

    private final class FakeStream: ReusableStream {
        private let isBroken = SystemLock(false)
        func isOpen() async -> Bool {
            // Somebody else may go on while it is asked.
            await Task.yield()
            return !isBroken.withLock { $0 }
        }
        func close() { isBroken.withLock { $0 = true } }
    }

    /// A client without a connection: calls hold their stream until the next chance, and end as they are told.
    private actor FakeClient {
        private let pool: StreamPool<FakeStream>
        private var openings: [Opening]
        private(set) var results: [String] = []
        private(set) var mostStreams = 0
        private var tickets: [Int: StreamTicket<FakeStream>] = [:]

        init(places: Int, _ openings: [Opening]) {
            pool = StreamPool(places: places)
            self.openings = openings
        }

        var openStreams: Int { pool.openStreams }
        var idleCount: Int { pool.idleCount }

        func call(_ number: Int, breaks: Bool = false) async {
            let ticket = StreamTicket<FakeStream>()
            tickets[number] = ticket
            do throws(CallError) {
                let stream = try await pool.take(for: ticket, closed: StreamPoolTests.closed) {
                    () async throws(CallError) in try await open()
                }
                mostStreams = max(mostStreams, pool.openStreams)
                await Task.yield()
                if breaks || ticket.ended != nil {
                    stream.close()
                    pool.streamEnded()
                } else {
                    pool.giveBack(stream)
                }
                results.append("\(number) done")
            } catch {
                results.append("\(number) failed")
            }
        }

        func end(_ number: Int) { tickets[number]?.end(.deadlineExceeded) }

        func close() {
            for ticket in tickets.values { ticket.end(StreamPoolTests.closed) }
            pool.close()
        }

        private func open() async throws(CallError) -> FakeStream {
            let opening = openings.isEmpty ? .good : openings.removeFirst()
            await Task.yield()
            switch opening {
            case .good: return FakeStream()
            case .failing: throw .transport(.streamReset)
            case .full: throw .transport(.tooManyStreams)
            }
        }
    }

    private func explore(
        _ departures: Int = 2, places: Int, _ openings: [Opening] = [], calls: Int, breaking: Set<Int> = [],
        ends: [Int] = [], closes: Bool = false, location: SourceLocation = #_sourceLocation
    ) async {
        let outcome = await OwnThread.run {
            Exploration(departures: departures).run { run in
                let client = FakeClient(places: places, openings)
                for number in 0..<calls {
                    run.start { await client.call(number, breaks: breaking.contains(number)) }
                }
                for number in ends { run.event { await client.end(number) } }
                if closes { run.event { await client.close() } }
                return {
                    let finding = SystemLock<String?>("no answer")
                    run.first {
                        let (results, most) = (await client.results, await client.mostStreams)
                        let (open, idle) = (await client.openStreams, await client.idleCount)
                        finding.withLock {
                            $0 =
                                results.count == calls && most <= places && open == idle
                                ? nil : "\(results), \(most) at most, \(open) open, \(idle) idle"
                        }
                    }
                    return finding.withLock { $0 }
                }
            }
        }
        #expect(outcome.failure == nil, sourceLocation: location)
        #expect(outcome.runs > 10, sourceLocation: location)
    }

    @Test func everyCallComesToAnEnd() async {
        await explore(places: 1, calls: 4)
        await explore(places: 2, calls: 4)
    }

    /// The place of a stream that broke goes to a call that ends before it goes on: the next one gets it.
    @Test func whatACallDoesNotUseGoesToTheNext() async {
        await explore(places: 1, calls: 3, breaking: [0], ends: [1])
        await explore(places: 1, calls: 3, ends: [1])
        await explore(places: 2, calls: 4, breaking: [0, 1], ends: [2])
    }

    @Test func aStreamThatCannotBeOpenedFailsItsCallAlone() async {
        await explore(places: 1, [.failing], calls: 3)
        await explore(places: 2, [.good, .failing, .failing], calls: 4, ends: [2])
    }

    @Test func aFullConnectionIsSharedByItsOwnStreams() async {
        await explore(places: 3, [.good, .full, .full], calls: 4)
        await explore(places: 3, [.full, .full, .good], calls: 3, breaking: [0, 1])
    }

    @Test func aCloseEndsEveryCall() async {
        await explore(places: 1, calls: 3, closes: true)
        await explore(places: 2, [.good, .failing], calls: 4, breaking: [1], closes: true)
    }
}
