import Testing

@testable import PushNodeServer

@Suite struct BackoffTests {
    @Test func theWaitGrowsUpToALimitAndIsSpread() {
        let backoff = Backoff()
        let seconds = (1...9).map { backoff.delay(after: $0, random: 0) }
        #expect(seconds == [10, 20, 40, 80, 160, 320, 600, 600, 600].map { Duration.seconds($0) })
        #expect(backoff.delay(after: 1, random: 500) == .seconds(15))
        #expect(backoff.delay(after: .max, random: .max) <= .seconds(900))
        #expect(backoff.delay(after: 0, random: 501) == .seconds(10))
    }
}
