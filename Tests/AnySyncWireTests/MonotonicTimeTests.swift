import AnySyncWire
import Testing

@Suite struct MonotonicTimeTests {
    @Test func timeGoesOn() {
        let start = MonotonicTime(nanoseconds: 5)
        let later = start.advanced(by: .seconds(2))
        #expect(later.nanoseconds == 2_000_000_005)
        #expect(start.duration(to: later) == .seconds(2))
        #expect(later.duration(to: start) == .seconds(-2))
        #expect(start < later)
        #expect(later.advanced(by: .milliseconds(-1)).nanoseconds == 1_999_000_005)
    }

    @Test func timeStaysWithinItsRange() {
        #expect(MonotonicTime(nanoseconds: 5).advanced(by: .seconds(-1)) == .zero)
        #expect(MonotonicTime(nanoseconds: .max).advanced(by: .seconds(1)).nanoseconds == .max)
        #expect(MonotonicTime.zero.advanced(by: .seconds(Int64.max)).nanoseconds == UInt64(Int64.max))
        #expect(MonotonicTime.zero.advanced(by: .seconds(Int64.min)) == .zero)
        let all = MonotonicTime.zero.duration(to: MonotonicTime(nanoseconds: .max))
        #expect(all == .nanoseconds(Int64.max))
    }
}
