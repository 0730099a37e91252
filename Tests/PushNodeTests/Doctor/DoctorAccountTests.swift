import AnySyncNet
import ProtoWire
import PushAPI
import PushCrypto
import PushNodeServer
import TestSupport
import Testing

@testable import PushNode

/// The doctor on the account's side, well and with each stage broken.
@Suite(.timeLimit(.minutes(5))) struct DoctorAccountTests {
    @Test func aHealthyAccountPassesEveryStageAndNothingChanges() async throws {
        try await Patient.run { patient in
            let before = await patient.node.status?.node.store
            let saves = patient.host.tokens.saves
            let report = await patient.report
            #expect(report.stages.map(\.name) == DoctorStage.Name.allCases)
            for stage in report.stages { #expect(stage.status == .ok && stage.isChecked, "\(stage)") }
            #expect(report.isHealthy)
            #expect(report[.topics]?.message.contains("exactly the 2 topics") == true)
            #expect(report[.token]?.message.contains("the node has it (android), confirmed ") == true)
            // Neither the node nor the account has anything more, and the live connection was not replaced.
            #expect(await patient.node.status?.node.store == before)
            #expect(patient.host.tokens.saves == saves)
            #expect(await patient.host.push.status.activity?.client.connections == 1)
            await eventually { await patient.node.status?.network.openIncoming == 1 }
        }
    }

    @Test func pushThatIsOffIsOneLine() async throws {
        let options = PushOptions(account: SigningKey(), device: SigningKey(), node: nil)
        let push = PushAccount(options, directory: MemoryDirectory(), tokens: MemoryPersistence())
        let fact = DoctorFact(name: "push.peerId", value: "not set", source: "default")
        let report = await PushDoctor(push, facts: [fact]).examine()
        #expect(report.stages.map(\.name) == [.configuration] && report.unchecked.isEmpty && !report.isHealthy)
        #expect(report[.configuration]?.status == .fail && report[.configuration]?.fix != nil)
        #expect(report[.configuration]?.details == [DoctorStage.Detail("push.peerId", "not set (default)")])
    }

    @Test func halfAConfigurationIsOneStatement() async throws {
        let options = PushOptions(account: SigningKey(), device: SigningKey(), node: nil)
        let push = PushAccount(options, directory: MemoryDirectory(), tokens: MemoryPersistence())
        let fact = DoctorFact(
            name: "push.addrs", value: "a:1", source: "flag", problem: "push.addrs is set and push.peerId is not",
            fix: "Set both.")
        let stage = try #require(await PushDoctor(push, facts: [fact]).examine()[.configuration])
        #expect(stage.message == "Push is off: push.addrs is set and push.peerId is not." && stage.fix == "Set both.")
        #expect(stage.details == [DoctorStage.Detail("push.addrs", "a:1 (flag)")])
    }

    @Test func anOddSettingIsAWarningAndAStoppedAccountAFailure() async throws {
        try await Patient.run { patient in
            let fact = DoctorFact(
                name: "push.addrs", value: "x", source: "flag", problem: "an address is odd", fix: "Change it.")
            let odd = await PushDoctor(patient.host.push, facts: [fact]).examine()
            #expect(odd[.configuration]?.status == .warning && odd.isHealthy)
            #expect(odd[.configuration]?.message == "Push is on, but an address is odd.")
            #expect(odd[.configuration]?.fix == "Change it.")
            await patient.host.push.stop()
            let stopped = await patient.report
            #expect(stopped.stages.map(\.name) == [.configuration] && !stopped.isHealthy)
        }
    }

    @Test func aTokenThatIsNotThereOrNotForwardedIsAWarning() async throws {
        try await Patient.run(token: false) { patient in
            let report = await patient.report
            // An account that only sends has no phone.
            #expect(report[.token]?.status == .warning && report[.token]?.message.hasPrefix("No phone") == true)
            #expect(report.isHealthy)
            await patient.node.stop()
            try await patient.host.register()
            await eventually { (try? await patient.host.push.tokenStatus())?.lastError != nil }
            let later = await patient.report
            #expect(later[.token]?.status == .warning && later[.token]?.message.contains("once it answers") == true)
            #expect(!"\(later)".contains(patient.host.phone.token), "the token is in nothing that is said")
        }
    }

    @Test func aTokenRecordThatCanNotBeReadFails() async throws {
        let node = try await TestNode()
        let host = try await HostedAccount(at: node, phone: "phone")
        host.tokens.fail(true)
        try await host.push.start()
        let report = await PushDoctor(host.push).examine()
        #expect(report[.token]?.status == .fail && report[.token]?.message.contains("DiskFull") == true)
        await host.push.stop()
        await node.stop()
    }

    @Test func aSpaceWithoutKeysIsAWarningAndOneThatCanNotBeReadAFailure() async throws {
        try await Patient.run { patient in
            patient.host.directory.put(try MemberedSpace(owner: SigningKey()), name: "Theirs")
            let report = await patient.report
            #expect(report[.spaceKeys]?.status == .warning)
            #expect(report[.spaceKeys]?.details.contains { $0.value.contains("never was a member") } == true)
            patient.host.directory.fail(.records(patient.space.id))
            #expect(await patient.report[.spaceKeys]?.status == .fail)
            patient.host.directory.fail(.spaces)
            let blind = await patient.report
            for name in [DoctorStage.Name.spaceKeys, .topics, .muted] {
                #expect(blind[name]?.status == .fail, "\(name)")
            }
        }
    }

    @Test func topicsThatDifferAreNamed() async throws {
        try await Patient.run { patient in
            let keys = try patient.space.keys
            let client = try #require(patient.host.push.runtime?.client)
            try await client.subscribeAll([keys.sign("chats"), keys.sign("chats/other")])
            let report = await patient.report
            let label = "Space (\(patient.space.id))"
            #expect(report[.topics]?.status == .fail)
            #expect(
                report[.topics]?.details == [
                    DoctorStage.Detail("missing", "\(label): \(patient.host.identity.accountAddress)"),
                    DoctorStage.Detail("too many", "\(label): chats/other"),
                ])
            patient.host.directory.fail(.chats(patient.space.id))
            #expect(await patient.report[.topics]?.status == .warning, "what is not known is not judged")
        }
    }

    @Test func topicsOfSpacesThatOnlyAnotherDeviceHasAreNotTooMany() async throws {
        try await Patient.run { patient in
            let (keys, elsewhere) = (try patient.space.keys, try MemberedSpace(owner: patient.host.account).keys)
            let client = try #require(patient.host.push.runtime?.client)
            let own = TopicName.identity(patient.host.identity)
            try await client.subscribeAll([keys.sign("chats"), keys.sign(own), elsewhere.sign("chats")])
            let topics = await patient.report[.topics]
            #expect(topics?.status == .ok)
            #expect(
                topics?.message
                    == "The node holds exactly the 2 topics that the settings ask for, and 1 of spaces that only "
                    + "another device of this account has.")
        }
    }

    @Test func justAfterAChangeARoundIsDue() async throws {
        try await Patient.run { patient in
            // The round that the change begins is held where it reads the spaces; what comes after reads them freely.
            let (once, isHeld) = (Once(), Flag())
            let (gate, opening) = AsyncStream<Void>.makeStream()
            patient.host.directory.intercept { call in
                guard call == .spaces, once.first() else { return }
                isHeld.set()
                for await _ in gate {}
            }
            patient.host.directory.setMode(NotifyMode.none, of: patient.space.id)
            await patient.host.push.spaceModeWritten()
            await eventually { isHeld.isSet }
            let report = await patient.report
            #expect(report[.topics]?.status == .ok)
            #expect(
                report[.topics]?.message == "A round is due that brings the settings to the node (2 too many).",
                "\(String(describing: report[.topics]))")
            opening.finish()
            await patient.host.settle()
            #expect(
                await patient.report[.topics]?.message
                    == "The node holds exactly the 0 topics that the settings ask for.")
        }
    }

    @Test func aModeThatIsNoneIsNamed() async throws {
        try await Patient.run { patient in
            patient.host.directory.setUnknownMode("mentoins", of: patient.space.id)
            let report = await patient.report
            #expect(report[.muted]?.status == .warning && report.isHealthy)
            #expect(report[.muted]?.message == "The notifyMode of 1 space is no mode, so every message notifies there.")
            #expect(
                report[.muted]?.details.map(\.value)
                    == ["notifyMode is \"mentoins\", which is no mode and counts as not set"])
        }
    }

    @Test func whatIsMutedIsNamed() async throws {
        try await Patient.run { patient in
            patient.host.directory.setMode(.mentions, of: patient.space.id)
            await patient.host.push.spaceModeWritten()
            #expect(await patient.report[.muted]?.status == .ok)
            patient.host.directory.setMode(NotifyMode.none, ofChat: "general", in: patient.space.id)
            await patient.host.push.chatModeWritten(in: patient.space.id)
            await patient.host.settle()
            let report = await patient.report
            #expect(report[.muted]?.status == .warning && report.isHealthy)
            #expect(report[.muted]?.details.map(\.value) == ["mentions only", "muted"])
        }
    }

    @Test func whatWasLostIsCounted() async throws {
        try await Patient.run { patient in
            patient.host.push.chatRead(
                ChatReading(spaceId: "no such space", chatId: "general", lastMessageId: nil, readAt: 1))
            await eventually { await patient.host.push.status.activity?.hooks.failed == 1 }
            let report = await patient.report
            #expect(report[.queue]?.status == .warning && report.isHealthy)
            #expect(report[.queue]?.details.contains(DoctorStage.Detail("not composed", "1")) == true)
        }
    }

    @Test func whatAnEarlierRunLostIsStillSaid() async throws {
        let outbox = MemoryOutbox()
        outbox.write(.numbered("a", 1), age: NotifyQueue.Limits().lifetime)
        let peer = PeerId(publicKey: SigningKey().publicKey)
        let node = PushNodeLocation(peerId: peer, addresses: [try Address("tls+yamux://127.0.0.1:\(RefusedPort.tcp)")])
        let options = PushOptions(account: SigningKey(), device: SigningKey(), node: node)
        let events = EventLog()
        func start() async throws -> PushAccount {
            let push = PushAccount(
                options, directory: MemoryDirectory(), tokens: MemoryPersistence(), outbox: outbox,
                onEvent: { events.append($0) })
            try await push.start()
            await eventually { await push.status.activity?.queue.losses != nil }
            return push
        }
        let first = try await start()
        #expect(await first.status.activity?.queue.expired == 1)
        await first.stop()
        #expect(events.all.filter { $0 == .stoppedWithUnsent(kept: 0, givenUp: 1) }.count == 1)
        let second = try await start()
        #expect(await second.status.activity?.queue.givenUp == 0)
        let report = await PushDoctor(second).examine()
        #expect(report[.queue]?.status == .warning)
        #expect(report[.queue]?.message.contains("lost within a day: 1") == true)
        await second.stop()
        #expect(events.all.filter { if case .stoppedWithUnsent = $0 { true } else { false } }.count == 1)
    }

    @Test func aReportIsBounded() {
        let details = (0..<1000).map { DoctorStage.Detail("\($0)", "") }
        let stage = DoctorStage(.topics, .fail, "", details: details)
        #expect(stage.details.count == DoctorStage.detailLimit && stage.details.last?.value == "937 lines more")
    }
}
