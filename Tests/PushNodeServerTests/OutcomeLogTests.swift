import AnySyncNet
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport
import Testing

@testable import PushNodeServer

/// What a node says became of notifications, and to whom.
@Suite(.timeLimit(.minutes(5))) struct OutcomeLogTests {
    private let now = TestClock.start

    private func delivery(_ id: Int64, to member: Member, attempts: Int = 0) -> Delivery {
        Delivery(
            id: id, notification: id, platform: .android, token: "a secret token", attempts: attempts,
            expiresAt: now.advanced(by: .seconds(3600)), device: DeviceKey(member.caller))
    }

    private func answer(_ service: TestService, _ member: Member) async throws -> OutcomesMessage {
        try OutcomesMessage(bytes: try await service.call(.outcomes, Ok(), as: member))
    }

    @Test func aDeviceIsToldOfItsOwnAloneAndWithoutItsToken() async throws {
        let service = try await TestService()
        let (member, other) = (Member(), Member())
        // The same account on another peer is another device.
        let sibling = Caller(identity: member.identity, peerId: PeerId(publicKey: SigningKey().publicKey))
        service.outcomes.note(.delivered, of: delivery(1, to: member), by: "spool", at: now)
        service.clock.clock.advance(by: .seconds(20))
        let bytes = try await service.call(.outcomes, Ok(), as: member)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
        let answer = try OutcomesMessage(bytes: bytes)
        #expect(answer.notingMilliseconds == 20_000 && answer.outcomes.count == 1)
        let outcome = try #require(answer.outcomes.first)
        #expect(outcome.number == 1 && outcome.ageMilliseconds == 20_000 && outcome.tries == 1)
        #expect(outcome.platform == .android && outcome.provider == "spool" && outcome.outcome == .delivered)
        #expect(try await self.answer(service, other).outcomes.isEmpty)
        let siblings = try await service.service.handle(PushRPC.outcomes.rawValue, request: [], caller: sibling)
        #expect(try OutcomesMessage(bytes: siblings).outcomes.isEmpty)
    }

    @Test func triesOfOneDeliveryAreOneEntryAndTheLastCounts() async throws {
        let service = try await TestService()
        let member = Member()
        service.outcomes.note(.providerDiskFull, of: delivery(1, to: member), by: "spool", at: now)
        service.outcomes.note(.providerUnavailable, of: delivery(1, to: member, attempts: 1), by: "spool", at: now)
        service.outcomes.note(.delivered, of: delivery(1, to: member, attempts: 2), by: "spool", at: now)
        service.outcomes.note(.tokenGone, of: delivery(2, to: member), by: "spool", at: now)
        let outcomes = try await answer(service, member).outcomes
        #expect(outcomes.map(\.outcome) == [.delivered, .tokenGone])
        #expect(outcomes.map(\.tries) == [3, 1] && outcomes.map(\.number) == [1, 2])
    }

    @Test func itHoldsTheLastOfEachDeviceAndTheDevicesOfLatestUse() {
        let log = OutcomeLog(capacity: 3, now: now)
        let members = (0..<5).map { _ in Member() }
        for id in 1...20 { log.note(.delivered, of: delivery(Int64(id), to: members[0]), by: "spool", at: now) }
        let entries = log.entries(of: DeviceKey(members[0].caller))
        #expect(entries.map(\.number) == Array(13...20))
        for round in 0..<200 {
            for (index, member) in members[1...].enumerated() {
                log.note(.delivered, of: delivery(Int64(1000 + round * 10 + index), to: member), by: "spool", at: now)
                // Used all the time, so it stays.
                log.note(.delivered, of: delivery(Int64(9000 + round), to: members[0]), by: "spool", at: now)
            }
        }
        #expect(log.count == 3)
        // Each of the others goes in its turn, however often the order was tidied meanwhile.
        for id in 0..<3 { log.note(.delivered, of: delivery(Int64(20_000 + id), to: Member()), by: "spool", at: now) }
        #expect(log.count == 3)
        #expect(members.allSatisfy { log.entries(of: DeviceKey($0.caller)).isEmpty })
    }

    @Test func aLaneNotesWhatItsForwarderSays() async throws {
        let outcomes: [(DeliveryOutcome, OutcomeClass)] = [
            (.delivered, .delivered), (.tokenGone, .tokenGone), (.payloadFault, .payloadRefused),
            (.retry(after: nil), .providerUnavailable), (.retry(after: nil, cause: .diskFull), .providerDiskFull),
            (.misconfigured, .misconfigured),
        ]
        for (outcome, expected) in outcomes { #expect(OutcomeClass(outcome) == expected) }
    }

    @Test func answersOfManyOutcomesAreReadToABound() throws {
        let many = OutcomesMessage(
            notingMilliseconds: 1, outcomes: Array(repeating: OutcomesMessage.Outcome(), count: 1000))
        #expect(try OutcomesMessage(bytes: many.encoded()).outcomes.count == OutcomesMessage.maximumCount)
    }
}
