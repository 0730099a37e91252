public import ProtoWire

/// Why bytes are not the header of a space.
public enum SpaceHeaderError: Error, Hashable, Sendable {
    /// The header is no protobuf message.
    case malformed(ProtoError)
    /// The maker's identity is no key.
    case identityUnreadable(KeyError)
    /// The maker has not signed the header.
    case signatureInvalid
    /// The header is another space's.
    case wrongId(expected: String)
}

extension SpaceHeaderError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let error): "the space header is not well-formed: \(error)"
        case .identityUnreadable(let error): "the space header's identity is no key: \(error)"
        case .signatureInvalid: "the space header's signature is not valid"
        case .wrongId(let expected): "the space header is that of \(expected)"
        }
    }
}

extension SpaceHeader {
    /// Reads a header and checks that its maker signed it and that it gives the space its id (protocol.md §2,
    /// "Writing").
    ///
    /// - Parameters:
    ///   - rawHeader: the `RawSpaceHeader`.
    ///   - spaceId: the id that the space claims.
    /// - Throws: ``SpaceHeaderError``.
    public init(verifying rawHeader: [UInt8], spaceId: String) throws(SpaceHeaderError) {
        var header: ArraySlice<UInt8> = []
        var signature: ArraySlice<UInt8> = []
        do throws(ProtoError) {
            var reader = ProtoReader(rawHeader)
            while let field = try reader.nextField() {
                switch field {
                case 1: header = try reader.slice()
                case 2: signature = try reader.slice()
                default: try reader.skip()
                }
            }
        } catch {
            throw .malformed(error)
        }
        try self.init(marshalled: header)
        guard identity.isValidSignature(signature, for: header) else { throw .signatureInvalid }
        let expected = Self.spaceId(of: rawHeader, replicationKey: replicationKey)
        guard expected == spaceId else { throw .wrongId(expected: expected) }
    }

    private init(marshalled: ArraySlice<UInt8>) throws(SpaceHeaderError) {
        var identity: ArraySlice<UInt8> = []
        var (timestamp, replicationKey) = (Int64(0), UInt64(0))
        var (spaceType, seed, payload) = (WireString(""), [UInt8](), [UInt8]())
        do throws(ProtoError) {
            var reader = ProtoReader(marshalled)
            while let field = try reader.nextField() {
                switch field {
                case 1: identity = try reader.slice()
                case 2: timestamp = try reader.int64()
                case 3: spaceType = try reader.string()
                case 4: replicationKey = try reader.varint()
                case 5: seed = try reader.bytes()
                case 6: payload = try reader.bytes()
                default: try reader.skip()
                }
            }
        } catch {
            throw .malformed(error)
        }
        let maker: PublicKey
        do throws(KeyError) { maker = try PublicKey(marshalled: identity) } catch { throw .identityUnreadable(error) }
        self.init(
            identity: maker, timestamp: timestamp, spaceType: spaceType.string, replicationKey: replicationKey,
            seed: seed, payload: payload
        )
    }
}
