import AnySyncNet
import ProtoWire
import PushCrypto
import PushNode
import PushNodeServer
import TestSupport
import Testing

/// The doctor on the way to the node, with each step broken.
@Suite(.timeLimit(.minutes(5))) struct DoctorNetworkTests {
    @Test func aNameWithoutAddressFailsAndWhatFollowsIsNotChecked() async throws {
        // Two dots: refused before any name server is asked.
        let report = try await Patient.report(at: [Address(kind: .yamux, host: "no..host", port: 1)])
        #expect(report[.resolution]?.status == .fail && report[.resolution]?.fix != nil)
        for name in [DoctorStage.Name.connect, .tls, .handshake, .encryption, .roundTrip, .topics, .clock] {
            #expect(report[name] == nil && report.reason(for: name) == "no address of the node is found", "\(name)")
        }
    }

    @Test func aBadAddressBesideAGoodOneIsAWarning() async throws {
        try await Patient.run { patient in
            let location = await patient.node.location
            let bad = ["no..host", "127.0.0.1"].map { Address(kind: .yamux, host: $0, port: RefusedPort.tcp) }
            let report = try await Patient.report(at: location.addresses + bad, peer: location.peerId)
            #expect(report[.resolution]?.status == .warning)
            #expect(
                report[.connect]?.status == .warning
                    && report[.connect]?.message.contains("127.0.0.1:\(RefusedPort.tcp)") == true)
            #expect(report[.tls]?.status == .ok && report[.roundTrip]?.status == .ok)
        }
    }

    @Test func aBareAddressIsWellWhenOneOfItsKindsIs() async throws {
        try await Patient.run { patient in
            let location = await patient.node.location
            let bare = location.addresses.map { Address(kind: nil, host: $0.host, port: $0.port) }
            let report = try await Patient.report(at: bare, peer: location.peerId)
            for name in [DoctorStage.Name.resolution, .connect, .tls, .handshake, .roundTrip] {
                #expect(report[name]?.status == .ok, "\(name): \(report[name]?.message ?? "")")
            }
        }
    }

    @Test func aNodeThatDoesNotListenFailsToConnect() async throws {
        try await Patient.run { patient in
            await patient.node.stop()
            patient.host.push.messageSent(patient.host.message("m", "text", in: patient.space))
            await eventually { await patient.host.push.status.activity?.queue.lastError != nil }
            let report = await patient.report
            #expect(report[.resolution]?.status == .ok && report[.connect]?.status == .fail)
            // One cause, told once.
            #expect(report.stages.filter { $0.status == .fail }.map(\.name) == [.connect])
            #expect(Set(report.unchecked.map(\.reason)) == ["no address of the node answers"])
            #expect(
                report.unchecked.map(\.name)
                    == [.tls, .handshake, .encryption, .roundTrip, .topics, .deliveries, .clock])
            #expect(
                report[.queue]?.status == .warning && report[.queue]?.message == "1 notification waits for the node.")
            #expect(report[.token]?.message.contains("the node had it (android), confirmed ") == true)
            #expect(!report.stages.dropFirst(3).contains { "\($0)".contains("refused") })
        }
    }

    @Test func anotherPeerAtTheAddressFailsTLSAndBothAreNamed() async throws {
        try await Patient.run { patient in
            let location = await patient.node.location
            let other = PeerId(publicKey: SigningKey().publicKey)
            let report = try await Patient.report(at: location.addresses, peer: other)
            #expect(report[.connect]?.status == .ok && report[.tls]?.status == .fail)
            let message = report[.tls]?.message ?? ""
            #expect(message.contains("\(other)") && message.contains("\(location.peerId)"))
            #expect(report[.tls]?.fix?.contains("\(location.peerId)") == true)
            #expect(report[.handshake] == nil && report[.roundTrip] == nil)
        }
    }

    @Test func aListenerThatSaysNothingFailsWithinTheTime() async throws {
        let silent = try SilentPort()
        defer { silent.close() }
        var limits = PushDoctor.Limits()
        limits.connectionStep = .milliseconds(300)
        let report = try await Patient.report(
            at: [Address(kind: .yamux, host: "127.0.0.1", port: silent.port)], limits: limits
        )
        #expect(report[.connect]?.status == .ok && report[.tls]?.status == .fail)
        #expect(report.duration < .seconds(60))
    }

    @Test func aNodeOfAnotherVersionFailsTheHandshakeWithOurVersionsNamed() async throws {
        try await FaultyNode.run(version: 99) { node in
            let report = try await Patient.report(at: node.addresses, peer: node.peerId)
            #expect(report[.tls]?.status == .ok && report[.handshake]?.status == .fail)
            #expect(report[.handshake]?.message.contains("ours: version") == true)
            #expect(report[.encryption] == nil && report[.roundTrip] == nil)
        }
    }

    @Test func aBareConnectionIsAWarning() async throws {
        try await Patient.run(at: "yamux://127.0.0.1:0") { patient in
            let report = await patient.report
            #expect(report[.encryption]?.status == .warning && report[.encryption]?.fix != nil && report.isHealthy)
        }
    }

    @Test func aCallThatIsAnsweredBadlyFailsTheRoundTrip() async throws {
        try await FaultyNode.run { node in
            let report = try await Patient.report(at: node.addresses, peer: node.peerId)
            #expect(report[.handshake]?.status == .ok && report[.roundTrip]?.status == .fail)
            #expect(report[.topics] == nil)
        }
    }

    @Test(arguments: [-2, 2, 80_000]) func aClockThatIsDaysOffFails(days: Int64) async throws {
        try await Patient.run { patient in
            let location = await patient.node.location
            let time = UnixClock.now + days * 86_400
            let report = try await Patient.report(at: location.addresses, peer: location.peerId) { options in
                options.unixTime = { time }
            }
            #expect(report[.clock]?.status == .fail && report[.clock]?.fix != nil, "\(report[.clock]?.message ?? "")")
            #expect(report[.tls]?.status == .fail && report[.tls]?.fix == "See the clock below.")
        }
    }
}

extension DoctorReport {
    /// Why a stage was not looked at.
    func reason(for name: DoctorStage.Name) -> String? { unchecked.first { $0.name == name }?.reason }
}
