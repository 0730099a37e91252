import ProtoWire
public import PushCrypto

/// What a handshake does after it has looked at what arrived: first write ``output``, then act on ``result``.
public struct HandshakeStep<Success: Sendable, Failure: Error>: Sendable {
    /// What to write, maybe nothing. After a failure the connection (or stream) is to be closed once it is written.
    public var output: [UInt8]
    /// How the handshake ended; `nil` while it goes on.
    public var result: Result<Success, Failure>?

    /// - Parameters:
    ///   - output: what to write.
    ///   - result: how the handshake ended; `nil` while it goes on.
    public init(output: [UInt8], result: Result<Success, Failure>?) {
        self.output = output
        self.result = result
    }
}

extension HandshakeStep: Equatable where Success: Equatable, Failure: Equatable {}

/// What a credential handshake has established.
public struct HandshakeResult: Hashable, Sendable {
    /// The account that the peer has proven to hold; `nil` when none was asked for.
    public let identity: PublicKey?
    /// The protocol version that the peer said it speaks.
    public let version: UInt32
    /// The peer's software, shortened and made printable.
    public let clientVersion: String

    init(identity: PublicKey?, _ credentials: Credentials) {
        self.identity = identity
        version = credentials.version
        clientVersion = PeerText.printable(credentials.clientVersion.bytes)
    }
}

extension HandshakeFrameReader {
    /// The next frame; see ``next(_:accepting:)``.
    mutating func frame(
        _ input: inout ArraySlice<UInt8>, _ kinds: [HandshakeFrame.Kind]
    ) throws(HandshakeFailure.Reason) -> HandshakeFrame? {
        do {
            return try next(&input, accepting: kinds)
        } catch {
            throw HandshakeFailure.Reason(error)
        }
    }
}

extension HandshakeFrame {
    /// The body of a credentials frame.
    func credentials() throws(HandshakeFailure.Reason) -> Credentials {
        do {
            return try Credentials(decoding: body)
        } catch {
            throw .malformed(error)
        }
    }

    /// The code in the body of an ack frame.
    func ack() throws(HandshakeFailure.Reason) -> HandshakeAck.Code {
        do {
            return try HandshakeAck(decoding: body).code
        } catch {
            throw .malformed(error)
        }
    }
}
