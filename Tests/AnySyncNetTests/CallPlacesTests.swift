import PushCrypto
import Testing

@testable import AnySyncNet

/// Who runs calls, and who waits.
@Suite struct CallPlacesTests {
    private static let parties = (0..<4).map { index in
        CallParty(account: SigningKey().publicKey, address: AddressGroup(UInt64(index)))
    }
    private static let limits = CallPlaceLimits(all: 4, perAccount: 2, perAddress: 3)

    @Test func accountsThatWaitTakeTurns() {
        var places = CallPlaces<String>(CallPlaceLimits(all: 1, perAccount: 1, perAddress: 1))
        let (busy, quiet) = (Self.parties[0], Self.parties[1])
        #expect(places.enter(busy) == true)
        for call in ["a", "b", "c"] { places.wait(busy, call) }
        // Came last, and is second.
        places.wait(quiet, "q")
        #expect(places.enter(quiet) == false)
        #expect(places.leave(busy) == ["a"])
        #expect(places.leave(busy) == ["q"])
        #expect(places.leave(quiet) == ["b"])
        #expect(places.withdraw(busy) { $0 == "c" } == "c")
        #expect(places.withdraw(busy) { $0 == "c" } == nil)
        #expect(places.leave(busy) == [])
        #expect(places.isEmpty)
    }

    @Test func anAccountAndAnAddressHaveTheirNumberOfPlaces() {
        var places = CallPlaces<Int>(Self.limits)
        let first = Self.parties[0]
        let neighbour = CallParty(account: Self.parties[1].account, address: first.address)
        let other = Self.parties[2]
        #expect(places.enter(first) == true)
        #expect(places.enter(first) == true)
        #expect(places.enter(first) == false)
        #expect(places.enter(neighbour) == true)
        #expect(places.enter(neighbour) == false)
        #expect(places.enter(CallParty(account: neighbour.account, address: nil)) == true)
        #expect(places.running == 4)
        places.wait(first, 1)
        places.wait(other, 2)
        // A place that one may not take goes to the next.
        #expect(places.leave(neighbour) == [2])
        #expect(places.leave(first) == [1])
    }

    @Test func cancelledCallsLeaveTheLine() async {
        let gate = CallGate(CallPlaceLimits(all: 1, perAccount: 1, perAddress: 1))
        let party = Self.parties[0]
        #expect(await gate.enter(party))
        let cancelled = Task { await gate.enter(party) }
        let waiting = Task { await gate.enter(party) }
        cancelled.cancel()
        #expect(await !cancelled.value)
        gate.leave(party)
        #expect(await waiting.value)
        #expect(gate.runningCalls == 1)
        gate.leave(party)
        #expect(gate.isEmpty)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await gate.enter(party)
        }
        #expect(await late.value)
        gate.leave(party)
    }
}
