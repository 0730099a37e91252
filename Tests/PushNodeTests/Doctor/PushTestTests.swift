import AnySyncNet
import ProtoWire
import PushAPI
import PushCrypto
import PushNodeServer
import PushReceiver
import TestSupport
import Testing

@testable import PushNode

/// A test notification on its way to this account's own devices.
@Suite(.timeLimit(.minutes(5))) struct PushTestTests {
    @Test func itReachesTheAccountsPhoneAloneAndTheNodeTells() async throws {
        try await Patient.run { patient in
            let (host, keys) = (patient.host, try patient.space.keys)
            host.phone.see(keys, of: patient.space.id, by: host.identity)
            // Somebody else in the space hears of everything in it.
            let other = try await HostedAccount(at: patient.node, phone: "another phone")
            try await other.push.start()
            try await other.register()
            await eventually { await other.push.status.activity?.token.isSettled == true }
            let client = try #require(other.push.runtime?.client)
            try await client.subscribeAll([keys.sign("chats"), keys.sign(TopicName.identity(other.identity))])

            let report = try await PushTest(host.push).run()
            #expect(report.steps.map(\.status) == [.ok, .ok, .ok] && report.isSent, "\(report)")
            #expect(report.lastOutcome == 0)
            await eventually { host.phone.count == 1 }
            let outcomes = try #require(try await eventuallyOutcomes(host))
            #expect(outcomes.outcomes.map(\.outcome) == [.delivered] && outcomes.outcomes[0].number == 1)
            #expect(outcomes.outcomes[0].verdict.message == "the phone's provider (provider) took it")
            // It opens, and is by whom it says.
            guard case .message(let message) = host.phone.received[0] else {
                Issue.record("\(host.phone.received[0])")
                return
            }
            #expect(message.text == "This is a test of push notifications." && message.senderName == "Push test")
            #expect(other.phone.count == 0)
            // The account's own connection was not replaced.
            #expect(await host.push.status.activity?.client.connections == 1)
            #expect(await patient.report[.deliveries]?.message.contains("took it") == true)
            await other.push.stop()
        }
    }

    private func eventuallyOutcomes(_ host: HostedAccount) async throws -> PushOutcomes? {
        await eventually { (try? await host.push.outcomes())?.outcomes.isEmpty == false }
        return try await host.push.outcomes()
    }

    @Test func eachOutcomeSaysWhatToDo() {
        func verdict(_ outcome: OutcomeClass, tries: UInt64 = 1) -> PushOutcomes.Outcome.Verdict {
            var wire = OutcomesMessage.Outcome()
            (wire.outcome, wire.tries, wire.provider) = (outcome, tries, "spool")
            return PushOutcomes(OutcomesMessage(notingMilliseconds: 0, outcomes: [wire])).outcomes[0].verdict
        }
        #expect(verdict(.delivered).fix == nil)
        #expect(verdict(.delivered, tries: 3).message == "the phone's provider (spool) took it (tried 3 times)")
        for outcome in [OutcomeClass.tokenGone, .providerDiskFull, .misconfigured] {
            #expect(verdict(outcome).status == .fail && verdict(outcome).fix != nil)
        }
        for outcome in [OutcomeClass.payloadRefused, .providerUnavailable, OutcomeClass(rawValue: 99)] {
            #expect(verdict(outcome).status == .warning && verdict(outcome).fix != nil)
        }
    }

    @Test func whatANodeMakesUpIsBounded() {
        var wire = OutcomesMessage.Outcome()
        (wire.ageMilliseconds, wire.number, wire.provider) = (
            .max, .max, WireString(String(repeating: "\u{1B}", count: 99))
        )
        let outcomes = PushOutcomes(OutcomesMessage(notingMilliseconds: .max, outcomes: [wire]))
        #expect(outcomes.noting == .seconds(315_360_000) && outcomes.outcomes[0].age == outcomes.noting)
        #expect(outcomes.outcomes[0].provider == String(repeating: "\u{FFFD}", count: 32))
    }

    @Test func aMutedAccountIsToldThatNothingWouldCome() async throws {
        try await Patient.run { patient in
            patient.host.directory.setMode(NotifyMode.none, of: patient.space.id)
            await patient.host.push.spaceModeWritten()
            await patient.host.settle()
            let report = try await PushTest(patient.host.push).run()
            #expect(report.steps.map(\.name) == [.token, .topics] && report.steps[1].status == .fail && !report.isSent)
            let unknown = try await PushTest(patient.host.push).run(in: "no such space")
            #expect(unknown.steps.last?.message == "The account has no active space with this id.")
        }
    }

    @Test func aNodeThatIsAwayIsSaidSo() async throws {
        try await Patient.run { patient in
            await patient.node.stop()
            let report = try await PushTest(patient.host.push).run()
            #expect(!report.isHealthy && !report.isSent && report.steps.last?.fix?.contains("any push doctor") == true)
        }
    }

    @Test func withoutPushThereIsNone() async throws {
        let options = PushOptions(account: SigningKey(), device: SigningKey(), node: nil)
        let push = PushAccount(options, directory: MemoryDirectory(), tokens: MemoryPersistence())
        await #expect(throws: PushAccountError.disabled(.noNode)) { try await PushTest(push).run() }
    }
}
