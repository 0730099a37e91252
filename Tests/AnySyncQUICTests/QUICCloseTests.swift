import AnySyncNet
import AnySyncWire
import PushCrypto
import Testing

@testable import AnySyncQUIC

/// What a peer's close means to a dialer.
@Suite struct QUICCloseTests {
    private let exchange: CredentialExchange
    private let dialer: CredentialDialer

    init() {
        let peer = PeerId(publicKey: SigningKey().publicKey)
        dialer = CredentialDialer(to: peer, as: LocalCredentials(account: SigningKey(), peer: peer, version: 13))
        exchange = .dialer(dialer)
    }

    private func close(_ code: UInt64, isApplication: Bool = true) -> PeerClose {
        PeerClose(isApplication: isApplication, code: code, reason: "", isStatelessReset: false)
    }

    @Test func aCloseAfterARefusalMayBeForTheVersion() throws {
        let error = try #require(close(3).error(during: exchange))
        #expect(error == .handshake(dialer.failure(.refusedWithoutReason)))
        #expect(dialer.failure(.refusedWithoutReason).mayBeVersionRefusal)
        #expect("\(error)".contains("(ours: version 13, accepting"))
    }

    @Test func otherClosesSayNothingOfVersions() {
        #expect(close(2).error(during: exchange) == .handshake(dialer.failure(.connectionEnded)))
        #expect(close(3, isApplication: false).error(during: exchange) == .handshake(dialer.failure(.connectionEnded)))
        // Nothing was said that could have been refused.
        #expect(close(3).error(during: nil) == nil)
        #expect(close(0x12a, isApplication: false).error(during: exchange) == .tls(.refusedByPeer(alert: 42)))
    }
}
