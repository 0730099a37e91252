public import ProtoWire

/// The request of CreateSpace and RemoveSpace: the caller's account, vouched for by the space push key.
public struct SpaceRequest: PushMessage {
    /// The raw public half of the space push key, 32 bytes.
    public var spaceKey: [UInt8]
    /// The space push key's signature of the caller's account address.
    public var accountSignature: [UInt8]

    /// A request; see the properties.
    public init(spaceKey: [UInt8], accountSignature: [UInt8]) {
        self.spaceKey = spaceKey
        self.accountSignature = accountSignature
    }

    public init(bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init(spaceKey: [], accountSignature: [])
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            switch field {
            case 1: spaceKey = try reader.bytes()
            case 2: accountSignature = try reader.bytes()
            default: try reader.skip()
            }
        }
    }

    public func write(to writer: inout ProtoWriter) {
        writer.bytes(1, spaceKey)
        writer.bytes(2, accountSignature)
    }
}
