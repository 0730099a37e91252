public import ProtoWire

/// The request of Notify and NotifySilent.
public struct NotifyRequest: PushMessage {
    /// Where to publish. `nil` when the field is absent, which makes the reference node crash: always send it.
    public var topics: Topics?
    /// What to show; `nil` in a silent notification.
    public var message: Message?
    /// What groups notifications of one chat, 64 lower-case hex digits.
    public var groupId: WireString

    /// A request; see the properties.
    public init(topics: Topics?, message: Message?, groupId: WireString) {
        self.topics = topics
        self.message = message
        self.groupId = groupId
    }

    public init(bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init(topics: nil, message: nil, groupId: "")
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            switch field {
            case 1:
                var merged = topics ?? Topics()
                try merged.merge(try reader.slice())
                topics = merged
            case 2:
                var merged = message ?? Message()
                try merged.merge(try reader.slice())
                message = merged
            case 3: groupId = try reader.string()
            default: try reader.skip()
            }
        }
    }

    public func write(to writer: inout ProtoWriter) {
        if let topics { writer.message(1) { topics.write(to: &$0) } }
        if let message { writer.message(2) { message.write(to: &$0) } }
        writer.string(3, groupId)
    }

    /// A sealed payload and who sealed it.
    public struct Message: PushMessage {
        /// The id of the key that opens the payload, 64 lower-case hex digits.
        public var keyId: WireString
        /// `nonce(12) ‖ ciphertext ‖ tag(16)`.
        public var payload: [UInt8]
        /// The sender's account key's signature of ``payload``.
        public var signature: [UInt8]

        /// A message; see the properties.
        public init(keyId: WireString = "", payload: [UInt8] = [], signature: [UInt8] = []) {
            self.keyId = keyId
            self.payload = payload
            self.signature = signature
        }

        public init(bytes: ArraySlice<UInt8>) throws(ProtoError) {
            self.init()
            try merge(bytes)
        }

        /// Takes over the fields of another encoding, as protobuf merges a message that comes in parts.
        mutating func merge(_ bytes: ArraySlice<UInt8>) throws(ProtoError) {
            var reader = ProtoReader(bytes)
            while let field = try reader.nextField() {
                switch field {
                case 1: keyId = try reader.string()
                case 2: payload = try reader.bytes()
                case 3: signature = try reader.bytes()
                default: try reader.skip()
                }
            }
        }

        public func write(to writer: inout ProtoWriter) {
            writer.string(1, keyId)
            writer.bytes(2, payload)
            writer.bytes(3, signature)
        }
    }
}
