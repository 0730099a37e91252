import AnySyncWire
import COpenSSL
import PushCrypto
import Testing

@testable import AnySyncNet

/// Both handshakes in memory, where every cut can be tried.
@Suite struct SecureHandshakeTests {
    /// One side: keys, certificate, handshake.
    final class Side {
        let identity: LocalIdentity
        let context: TLSContext
        var handshake: SecureHandshake!

        init() throws {
            identity = LocalIdentity(account: SigningKey(), peer: SigningKey(), clientVersion: "test")
            context = try TLSContext(
                certificate: HostCertificate(peerKey: identity.peer, validFrom: 1_000, until: 4_000_000_000))
        }

        func dial(_ peer: PeerId, _ kind: ConnectionKind = .yamux) throws {
            handshake = try SecureHandshake(
                dialing: peer, kind: kind, as: identity.credentials(version: 13), context: context,
                now: { 2_000_000_000 })
        }

        func listen(_ kinds: Set<ConnectionKind> = [.yamux, .tlsYamux]) throws {
            handshake = try SecureHandshake(
                listeningFor: kinds, as: identity.credentials(version: 13), context: context, now: { 2_000_000_000 })
        }
    }

    /// A dialer and a listener; what each writes is kept until it is delivered.
    struct Pair {
        let dialer: Side
        let listener: Side
        var toListener: [UInt8] = []
        var toDialer: [UInt8] = []
        var dialerResult: Result<SecureHandshake.Outcome, TransportError>?
        var listenerResult: Result<SecureHandshake.Outcome, TransportError>?

        init(_ dialer: Side, _ listener: Side) {
            self.dialer = dialer
            self.listener = listener
        }

        static func make(_ kind: ConnectionKind = .yamux) throws -> Pair {
            let pair = Pair(try Side(), try Side())
            try pair.dialer.dial(pair.listener.identity.peerId, kind)
            try pair.listener.listen()
            return pair
        }

        mutating func start() {
            toListener += dialer.handshake.start().output
            toDialer += listener.handshake.start().output
        }

        /// Delivers what waits for the listener, in pieces of at most `size`.
        mutating func deliverToListener(size: Int = .max) {
            let bytes = toListener
            toListener = []
            for piece in bytes.chunks(of: size) where listenerResult == nil {
                let step = listener.handshake.receive(Array(piece))
                toDialer += step.output
                listenerResult = step.result
            }
        }

        mutating func deliverToDialer(size: Int = .max) {
            let bytes = toDialer
            toDialer = []
            for piece in bytes.chunks(of: size) where dialerResult == nil {
                var step = dialer.handshake.receive(Array(piece))
                toListener += step.output
                if step.isPeerProven {
                    step = dialer.handshake.beginCredentials(version: 13)
                    toListener += step.output
                }
                dialerResult = step.result
            }
        }

        mutating func run(size: Int = .max) {
            start()
            for _ in 0..<10 {
                deliverToListener(size: size)
                deliverToDialer(size: size)
            }
        }

        /// Does TLS only; what the dialer says inside it is up to the test.
        mutating func finishTLS() throws -> TLSChannel {
            start()
            deliverToListener()
            let channel = dialer.handshake.channel
            _ = try channel.decrypt(toDialer[...])
            toDialer = []
            toListener = channel.session.takeOutput()
            deliverToListener()
            return channel
        }

        /// Stops before the record that carries the dialer's ack, which then waits for the listener.
        mutating func runToDialersAck() {
            start()
            deliverToListener()
            deliverToDialer()
            deliverToListener()
            deliverToDialer()
        }
    }

    // Two frames: a window update that opens a stream, and data on it.
    private static let yamux: [UInt8] =
        [0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3, 7, 8, 9]

    @Test(arguments: [ConnectionKind.yamux, .tlsYamux])
    func bothSidesProveThemselves(kind: ConnectionKind) throws {
        for size in [Int.max, 1, 7] {
            var pair = try Pair.make(kind)
            pair.run(size: size)
            let atDialer = try #require(pair.dialerResult).get()
            let atListener = try #require(pair.listenerResult).get()
            #expect(atDialer.peer == pair.listener.identity.peerId)
            #expect(atListener.peer == pair.dialer.identity.peerId)
            #expect(atDialer.result.identity == pair.listener.identity.account.publicKey)
            #expect(atListener.result.identity == pair.dialer.identity.account.publicKey)
            #expect((atDialer.channel != nil) == (kind == .tlsYamux))
            #expect((atListener.channel != nil) == (kind == .tlsYamux))
            #expect(atDialer.early.isEmpty && atListener.early.isEmpty)
            #expect(pair.toDialer.isEmpty && pair.toListener.isEmpty)
        }
    }

    // What a peer needs to know is in the protocol version.
    @Test func nothingButAFixedNameIsSaidOfTheSoftware() {
        let identity = LocalIdentity(account: SigningKey(), peer: SigningKey())
        for version: UInt32 in [8, 13] {
            #expect(identity.credentials(version: version).clientVersion == "anypush")
            #expect(identity.credentials(version: version).version == version)
        }
    }

    @Test func everyCutAroundTheDialersLastRecord() throws {
        var position = 0
        while true {
            var pair = try Pair.make()
            pair.runToDialersAck()
            let record = pair.toListener
            #expect(record.first == 23)
            // What a dialer that does not wait would send.
            let bytes = record + Self.yamux
            guard position <= bytes.count else { break }
            var early: [UInt8] = []
            for piece in [bytes[..<position], bytes[position...]] {
                if pair.listenerResult == nil {
                    pair.listenerResult = pair.listener.handshake.receive(Array(piece)).result
                    if let result = pair.listenerResult { early += try result.get().early }
                } else {
                    early += piece
                }
            }
            #expect(early == Self.yamux, "cut at \(position)")
            position += 1
        }
        #expect(position > Self.yamux.count + 20)
    }

    @Test func everyCutAroundTheListenersLastRecord() throws {
        var position = 0
        while true {
            var pair = try Pair.make()
            pair.runToDialersAck()
            pair.deliverToListener()
            #expect(pair.listenerResult != nil)
            let bytes = pair.toDialer + Self.yamux
            guard position <= bytes.count else { break }
            var early: [UInt8] = []
            for piece in [bytes[..<position], bytes[position...]] {
                if pair.dialerResult == nil {
                    pair.dialerResult = pair.dialer.handshake.receive(Array(piece)).result
                    if let result = pair.dialerResult { early += try result.get().early }
                } else {
                    early += piece
                }
            }
            #expect(early == Self.yamux, "cut at \(position)")
            position += 1
        }
        #expect(position > Self.yamux.count + 20)
    }

    @Test func everyCutInsideTLS() throws {
        var position = 0
        while true {
            var pair = try Pair.make(.tlsYamux)
            pair.runToDialersAck()
            let record = pair.toListener
            // The dialer encrypts as it would after the handshake.
            let bytes = record + (try pair.dialer.handshake.channel.encrypt(Self.yamux))
            guard position <= bytes.count else { break }
            var early: [UInt8] = []
            for piece in [bytes[..<position], bytes[position...]] {
                if let result = pair.listenerResult {
                    early += try #require(try result.get().channel).decrypt(piece)
                } else {
                    pair.listenerResult = pair.listener.handshake.receive(Array(piece)).result
                    if let result = pair.listenerResult { early += try result.get().early }
                }
            }
            #expect(early == Self.yamux, "cut at \(position)")
            position += 1
        }
    }

    @Test func dataInsideTLSAfterTheLastAckIsRefused() throws {
        var pair = try Pair.make()
        let channel = try pair.finishTLS()
        let credentials = CredentialDialer(
            to: pair.listener.identity.peerId, as: pair.dialer.identity.credentials(version: 13))
        pair.toListener = try channel.encrypt(credentials.start())
        pair.deliverToListener()
        // The ack and something behind it in one record.
        pair.toListener = try channel.encrypt(HandshakeAck(.null).frame + [0])
        pair.deliverToListener()
        expect(pair.listenerResult, .tls(.dataAfterHandshake))
    }

    // MARK: Refusals

    private func expect(_ result: Result<SecureHandshake.Outcome, TransportError>?, _ expected: TransportError) {
        guard case .failure(let error) = result else {
            Issue.record("expected \(expected), found \(String(describing: result))")
            return
        }
        #expect(error == expected)
    }

    @Test func kindsThatAPeerDoesNotOfferAreRefused() throws {
        var pair = Pair(try Side(), try Side())
        try pair.dialer.dial(pair.listener.identity.peerId, .tlsYamux)
        try pair.listener.listen([.yamux])
        pair.run()
        expect(pair.dialerResult, .tls(.refusedByPeer(alert: 120)))

        pair = Pair(try Side(), try Side())
        try pair.dialer.dial(pair.listener.identity.peerId, .yamux)
        try pair.listener.listen([.tlsYamux])
        pair.run()
        expect(pair.dialerResult, .tls(.refusedByPeer(alert: 120)))
    }

    @Test func noApplicationProtocolMeansTheFirstForm() throws {
        var pair = try Pair.make()
        SSL_set_alpn_protos(pair.dialer.handshake.channel.session.ssl, nil, 0)
        pair.run()
        let outcome = try #require(pair.listenerResult).get()
        #expect(outcome.channel == nil)
        #expect(try #require(pair.dialerResult).get().channel == nil)
    }

    @Test func garbageAndLiesAboutLengthsEndTheHandshake() throws {
        let listener = try Side()
        try listener.listen()
        expect(listener.handshake.receive(Array("GET / HTTP/1.1\r\n".utf8)).result, .tls(.notTLS(firstByte: 0x47)))

        try listener.listen()
        expect(
            listener.handshake.receive([22, 3, 1, 0xff, 0xff]).result, .tls(.recordTooLong(limit: 16640, found: 65535)))

        try listener.listen()
        guard case .failure(.tls(.failed)) = listener.handshake.receive([22, 3, 1, 0, 4, 1, 2, 3, 4]).result else {
            Issue.record("a broken ClientHello was taken")
            return
        }
    }

    @Test func endlessHandshakesAreCut() throws {
        // A large frame that is never there, in records that are nearly empty.
        var pair = try Pair.make()
        let channel = try pair.finishTLS()
        pair.toListener = try channel.encrypt([1, 0, 0x20, 3, 0])
        pair.deliverToListener()
        for _ in 0..<20_000 where pair.listenerResult == nil {
            pair.toListener = try channel.encrypt([0])
            pair.deliverToListener()
        }
        expect(pair.listenerResult, .tls(.handshakeTooLong(limit: 204_800 + 65_536)))
    }

    @Test func framesOverTheLimitAreAnswered() throws {
        var pair = try Pair.make()
        let channel = try pair.finishTLS()
        pair.toListener = try channel.encrypt([1, 0xff, 0xff, 0xff, 0x7f])
        pair.deliverToListener()
        guard case .failure(.handshake(let failure)) = pair.listenerResult else {
            Issue.record("found \(String(describing: pair.listenerResult))")
            return
        }
        #expect(failure.reason == .frameTooLarge(declared: 0x7fff_ffff))
        #expect(try channel.decrypt(pair.toDialer[...]) == HandshakeAck(.unexpected).frame)
    }
}

extension Array<UInt8> {
    /// The array in pieces of at most `size`.
    func chunks(of size: Int) -> [ArraySlice<UInt8>] {
        var rest = self[...]
        var pieces: [ArraySlice<UInt8>] = []
        while !rest.isEmpty {
            pieces.append(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return pieces
    }
}
