import AnySyncWire
import Testing

@Suite struct VersionNegotiationTests {
    private func at(_ seconds: Int) -> MonotonicTime {
        .zero.advanced(by: .seconds(seconds))
    }

    /// Refuses whatever is tried; returns the versions tried and the time of the next attempt.
    private func refuseAll(
        _ negotiation: inout VersionNegotiation, at now: MonotonicTime
    ) -> (tried: [UInt32], until: MonotonicTime?) {
        var tried: [UInt32] = []
        for _ in 0..<10 {
            switch negotiation.next(now: now) {
            case .dial(let version):
                tried.append(version)
                negotiation.wasRefused(version, now: now)
            case .wait(let until): return (tried, until)
            }
        }
        return (tried, nil)
    }

    @Test func eachVersionIsTriedOnceThenItBacksOff() {
        var negotiation = VersionNegotiation()
        var (tried, until) = refuseAll(&negotiation, at: .zero)
        #expect(tried == [13, 12, 9, 8, 14])
        #expect(until == at(30))
        #expect(negotiation.next(now: at(29)) == .wait(until: at(30)))
        (tried, until) = refuseAll(&negotiation, at: at(30))
        #expect(tried == [13, 12, 9, 8, 14])
        #expect(until == at(90))
    }

    @Test func pausesGrowUpToHalfAnHour() {
        var negotiation = VersionNegotiation(order: [13])
        var now = MonotonicTime.zero
        var pauses: [Duration] = []
        for _ in 0..<9 {
            guard let until = refuseAll(&negotiation, at: now).until else { return }
            pauses.append(now.duration(to: until))
            now = until
        }
        #expect(pauses == [30, 60, 120, 240, 480, 960, 1800, 1800, 1800].map { .seconds($0) })
    }

    @Test func whatWorkedIsTriedFirst() {
        var negotiation = VersionNegotiation()
        negotiation.wasRefused(13, now: .zero)
        #expect(negotiation.next(now: .zero) == .dial(version: 12))
        negotiation.wasRefused(12, now: .zero)
        negotiation.succeeded(9)
        #expect(negotiation.next(now: at(1)) == .dial(version: 9))
        // The peer was updated and takes 9 no more.
        negotiation.wasRefused(9, now: at(2))
        #expect(negotiation.next(now: at(2)) == .dial(version: 13))
    }

    @Test func successEndsABackOff() {
        var negotiation = VersionNegotiation()
        _ = refuseAll(&negotiation, at: .zero)
        negotiation.succeeded(14)
        #expect(negotiation.next(now: .zero) == .dial(version: 14))
        let (tried, until) = refuseAll(&negotiation, at: .zero)
        #expect(tried == [14, 13, 12, 9, 8])
        #expect(until == at(30))
    }

    @Test func withoutVersionsNothingIsDialled() {
        var negotiation = VersionNegotiation(order: [])
        #expect(negotiation.next(now: .zero) == .wait(until: at(30)))
    }
}
