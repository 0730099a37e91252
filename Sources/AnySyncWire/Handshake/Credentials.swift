public import ProtoWire

/// What a side says about itself in the credential handshake (protocol.md §6).
public struct Credentials: Hashable, Sendable {
    /// How the sender proves its identity; other numbers are kept.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int32

        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// Not at all.
        public static let skipVerify = Kind(rawValue: 0)
        /// By ``SignedPeerIds`` in the payload.
        public static let signedPeerIds = Kind(rawValue: 1)
    }

    /// How the sender proves its identity.
    public var kind: Kind
    /// The proof.
    public var payload: [UInt8]
    /// The sender's protocol version.
    public var version: UInt32
    /// The sender's software, for people.
    public var clientVersion: WireString

    /// - Parameters:
    ///   - kind: how the sender proves its identity.
    ///   - payload: the proof.
    ///   - version: the sender's protocol version.
    ///   - clientVersion: the sender's software; never leave it empty, a reference peer then keeps an earlier peer's.
    public init(kind: Kind, payload: [UInt8] = [], version: UInt32, clientVersion: WireString) {
        self.kind = kind
        self.payload = payload
        self.version = version
        self.clientVersion = clientVersion
    }

    /// Reads the message.
    public init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init(kind: .skipVerify, version: 0, clientVersion: "")
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            switch field {
            case 1: kind = Kind(rawValue: try reader.int32())
            case 2: payload = try reader.bytes()
            case 3: version = try reader.uint32()
            case 4: clientVersion = try reader.string()
            default: try reader.skip()
            }
        }
    }

    /// The message's bytes.
    public var encoded: [UInt8] {
        var writer = ProtoWriter(reserving: payload.count + clientVersion.bytes.count + 24)
        writer.int32(1, kind.rawValue)
        writer.bytes(2, payload)
        writer.varint(3, UInt64(version))
        writer.string(4, clientVersion)
        return writer.bytes
    }
}

/// The proof that the holder of an account speaks through this connection: its signature over both peer ids.
public struct SignedPeerIds: Hashable, Sendable {
    /// The account's marshalled public key.
    public var identity: [UInt8]
    /// Ed25519 signature over the sender's peer id, then the receiver's, both as text.
    public var signature: [UInt8]

    /// - Parameters:
    ///   - identity: the account's marshalled public key.
    ///   - signature: over both peer ids.
    public init(identity: [UInt8], signature: [UInt8]) {
        self.identity = identity
        self.signature = signature
    }

    /// Reads the message.
    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(identity: [], signature: [])
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            switch field {
            case 1: identity = try reader.bytes()
            case 2: signature = try reader.bytes()
            default: try reader.skip()
            }
        }
    }

    /// The message's bytes.
    public var encoded: [UInt8] {
        var writer = ProtoWriter(reserving: identity.count + signature.count + 8)
        writer.bytes(1, identity)
        writer.bytes(2, signature)
        return writer.bytes
    }
}
