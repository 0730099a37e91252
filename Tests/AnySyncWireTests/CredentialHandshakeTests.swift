import AnySyncWire
import ProtoWire
import PushCrypto
import Testing

/// A device of an account.
private struct Party {
    let account = SigningKey()
    let peer = PeerId(publicKey: SigningKey().publicKey)

    func credentials(
        version: UInt32 = 13, accepting: [UInt32] = LocalCredentials.defaultAcceptedVersions,
        software: String = "test/1", anonymous: Bool = false
    ) -> LocalCredentials {
        LocalCredentials(
            account: anonymous ? nil : account, peer: peer, version: version, acceptedVersions: accepting,
            clientVersion: software)
    }
}

@Suite struct CredentialHandshakeTests {
    private typealias Outcome = Result<HandshakeResult, HandshakeFailure>
    private let alice = Party()
    private let bob = Party()

    /// Lets both sides talk until neither has anything to say; bytes travel one at a time.
    private func handshake(
        _ dialing: LocalCredentials, _ listening: LocalCredentials
    ) -> (dialer: Outcome?, listener: Outcome?) {
        var dialer = CredentialDialer(to: bob.peer, as: dialing)
        var listener = CredentialListener(from: alice.peer, as: listening)
        var outcome: (dialer: Outcome?, listener: Outcome?)
        var toListener = dialer.start()
        var toDialer: [UInt8] = []
        while !toListener.isEmpty || !toDialer.isEmpty {
            let (up, down) = (toListener, toDialer)
            (toListener, toDialer) = ([], [])
            for byte in up {
                var input = [byte][...]
                let step = listener.receive(&input)
                toDialer += step.output
                outcome.listener = outcome.listener ?? step.result
            }
            for byte in down {
                var input = [byte][...]
                let step = dialer.receive(&input)
                toListener += step.output
                outcome.dialer = outcome.dialer ?? step.result
            }
        }
        return outcome
    }

    private func reason(_ outcome: Outcome?) -> HandshakeFailure.Reason? {
        guard case .failure(let failure)? = outcome else { return nil }
        return failure.reason
    }

    @Test func bothSidesLearnWhoTheOtherIs() throws {
        let (dialer, listener) = handshake(alice.credentials(software: "a/1"), bob.credentials(software: "b/2"))
        let seenByDialer = try #require(dialer).get()
        let seenByListener = try #require(listener).get()
        #expect(seenByDialer.identity == bob.account.publicKey)
        #expect(seenByDialer.clientVersion == "b/2")
        #expect(seenByListener.identity == alice.account.publicKey)
        #expect(seenByListener.clientVersion == "a/1")
        #expect(seenByListener.version == 13)
    }

    @Test(arguments: LocalCredentials.defaultAcceptedVersions)
    func theListenerAnswersWithTheDialersVersion(_ version: UInt32) throws {
        // An old peer takes no answer but its own version.
        let (dialer, listener) = handshake(
            alice.credentials(version: version, accepting: [version]), bob.credentials(version: 13))
        #expect(try #require(dialer).get().version == version)
        #expect(try #require(listener).get().version == version)
    }

    @Test func aVersionThatIsNotAcceptedIsRefusedAndBothAreNamed() throws {
        let (dialer, listener) = handshake(
            alice.credentials(version: 13), bob.credentials(version: 8, accepting: [8, 9], software: "old"))
        #expect(reason(dialer) == .refusedByPeer(.incompatibleVersion))
        #expect(reason(listener) == .versionNotAccepted)
        guard case .failure(let failure)? = listener else { return }
        #expect(failure.isVersionRefusal)
        #expect(failure.localVersion == 8)
        #expect(failure.acceptedVersions == [8, 9])
        #expect(failure.remoteVersion == 13)
        #expect(failure.remoteClientVersion == "test/1")
        #expect("\(failure)".contains("version 8, accepting 8, 9"))
        #expect("\(failure)".contains("version 13, software \"test/1\""))
    }

    @Test func theDialerRefusesAnAnswerOfAnotherVersion() {
        var dialer = CredentialDialer(to: bob.peer, as: alice.credentials())
        let answer = Credentials(kind: .skipVerify, version: 15, clientVersion: "x")
        var input = HandshakeFrame.encode(.credentials, answer.encoded)[...]
        let step = dialer.receive(&input)
        #expect(step.output == HandshakeAck(.incompatibleVersion).frame)
        #expect(reason(step.result) == .versionNotAccepted)
    }

    @Test func oneSideWithoutAnAccountIsRefused() {
        var outcome = handshake(alice.credentials(anonymous: true), bob.credentials())
        #expect(reason(outcome.listener) == .signatureRequired(found: .skipVerify))
        #expect(reason(outcome.dialer) == .refusedByPeer(.skipVerifyNotAllowed))
        outcome = handshake(alice.credentials(), bob.credentials(anonymous: true))
        #expect(reason(outcome.dialer) == .signatureRequired(found: .skipVerify))
        #expect(reason(outcome.listener) == .refusedByPeer(.skipVerifyNotAllowed))
    }

    @Test func withoutAccountsNobodyIsKnown() throws {
        let (dialer, listener) = handshake(alice.credentials(anonymous: true), bob.credentials(anonymous: true))
        #expect(try #require(dialer).get().identity == nil)
        #expect(try #require(listener).get().identity == nil)
    }

    @Test func theBlockedReleaseIsRefused() {
        let (dialer, listener) = handshake(alice.credentials(software: "x middle:v0.36.6 y"), bob.credentials())
        #expect(reason(listener) == .clientVersionBlocked)
        #expect(reason(dialer) == .refusedByPeer(.incompatibleVersion))
    }

    @Test func aProofForAnotherConnectionIsRefused() {
        // Signed for Bob, replayed to someone else.
        let carol = Party()
        var listener = CredentialListener(from: alice.peer, as: carol.credentials())
        var input = CredentialDialer(to: bob.peer, as: alice.credentials()).start()[...]
        let step = listener.receive(&input)
        #expect(step.output == HandshakeAck(.invalidCredentials).frame)
        #expect(reason(step.result) == .invalidSignature)
        // From another device than the certificate's.
        var other = CredentialListener(from: carol.peer, as: bob.credentials())
        input = CredentialDialer(to: bob.peer, as: alice.credentials()).start()[...]
        #expect(reason(other.receive(&input).result) == .invalidSignature)
    }

    @Test func anUnknownKindOfCredentialsIsRefused() {
        var listener = CredentialListener(from: alice.peer, as: bob.credentials())
        let message = Credentials(kind: .init(rawValue: 2), version: 13, clientVersion: "x")
        var input = HandshakeFrame.encode(.credentials, message.encoded)[...]
        let step = listener.receive(&input)
        #expect(step.output == HandshakeAck(.skipVerifyNotAllowed).frame)
        #expect(reason(step.result) == .signatureRequired(found: .init(rawValue: 2)))
    }

    @Test func theDialerTakesNoAckForAnAnswer() {
        var dialer = CredentialDialer(to: bob.peer, as: alice.credentials())
        var input = HandshakeAck(.null).frame[...]
        let step = dialer.receive(&input)
        #expect(step.output == [])
        #expect(reason(step.result) == .unexpectedFrame(type: 2))
    }

    @Test func garbageInPlaceOfTheLastAckIsAnsweredAndEnds() {
        var dialer = CredentialDialer(to: bob.peer, as: alice.credentials())
        var listener = CredentialListener(from: alice.peer, as: bob.credentials())
        var input = dialer.start()[...]
        var toDialer = listener.receive(&input).output[...]
        #expect(dialer.receive(&toDialer).output == HandshakeAck(.null).frame)
        var garbage: ArraySlice<UInt8> = [2, 1, 0, 0, 0, 0xff]
        let step = dialer.receive(&garbage)
        #expect(step.output == HandshakeAck(.unexpected).frame)
        #expect(reason(step.result) == .malformed(.truncated))
        // Credentials again are not due.
        var again = CredentialDialer(to: bob.peer, as: alice.credentials()).start()[...]
        let late = listener.receive(&again)
        #expect(late.output == [])
        #expect(reason(late.result) == .unexpectedFrame(type: 1))
    }

    @Test func whatFollowsTheLastAckIsLeftAlone() throws {
        var listener = CredentialListener(from: alice.peer, as: bob.credentials())
        let dialer = CredentialDialer(to: bob.peer, as: alice.credentials())
        let next: [UInt8] = [0, 1, 0, 1]
        var input = (dialer.start() + HandshakeAck(.null).frame + next)[...]
        let step = listener.receive(&input)
        _ = try #require(step.result).get()
        #expect(step.output.suffix(5) == HandshakeAck(.null).frame[...])
        #expect(input == next[...])
        // A handshake that is over takes nothing.
        let after = listener.receive(&input)
        #expect(after.output == [])
        #expect(after.result == nil)
        #expect(input == next[...])
    }

    @Test func anEmptyClientVersionIsNeverSent() throws {
        let start = CredentialDialer(to: bob.peer, as: alice.credentials(software: "")).start()
        let sent = try Credentials(decoding: start[5...])
        #expect(sent.clientVersion.string == LocalCredentials.defaultClientVersion)
    }

    @Test func failuresOfTheCallerNameWhatIsKnown() {
        var listener = CredentialListener(from: alice.peer, as: bob.credentials())
        #expect(listener.failure(.deadlineExceeded).remoteVersion == nil)
        #expect("\(listener.failure(.deadlineExceeded))".contains("version not told"))
        var input = CredentialDialer(to: bob.peer, as: alice.credentials(version: 9)).start()[...]
        _ = listener.receive(&input)
        let failure = listener.failure(.connectionEnded)
        #expect(failure.remoteVersion == 9)
        #expect(!failure.isVersionRefusal)
    }

    @Test func aHostileClientVersionIsMadePrintable() throws {
        let name = "evil\n\u{1b}[31m" + String(repeating: "x", count: 5000)
        let (_, listener) = handshake(alice.credentials(software: name), bob.credentials())
        let shown = try #require(listener).get().clientVersion
        #expect(shown.hasPrefix("evil\u{fffd}\u{fffd}[31mxxx"))
        #expect(shown.count <= 81)
    }
}
