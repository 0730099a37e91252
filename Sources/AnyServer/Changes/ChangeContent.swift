import ProtoWire

/// What a change says, before it is sealed: `ChangeContent { counter:1, createdAt:2 int64, kind:3 enum, body:4 }`.
struct ChangeContent: Hashable, Sendable {
    /// The highest counter. Whoever has seen it goes on with it, and the order is then by change id alone.
    static let maximumCounter: UInt64 = 1 << 62

    /// The change's Lamport time: above that of every change of the same object that its author had seen; from 1.
    let counter: UInt64
    /// When the author says that it was made, in milliseconds since 1970. Nothing is ordered by it.
    let createdAt: Int64
    /// What ``body`` is.
    let kind: ChangeKind
    /// The message that belongs to ``kind``.
    let body: [UInt8]

    init(counter: UInt64, createdAt: Int64, kind: ChangeKind, body: [UInt8]) {
        self.counter = counter
        self.createdAt = createdAt
        self.kind = kind
        self.body = body
    }

    /// Reads opened content.
    ///
    /// - Throws: ``ChangeError/malformed(_:)``, or ``ChangeError/wrongField(_:)`` for a counter outside its bounds.
    init(_ bytes: ArraySlice<UInt8>) throws(ChangeError) {
        var (counter, createdAt, kind, body) = (UInt64(0), Int64(0), Int32(0), [UInt8]())
        try ChangeError.reading { () throws(ProtoError) in
            var reader = ProtoReader(bytes)
            while let field = try reader.nextField() {
                switch field {
                case 1: counter = try reader.varint()
                case 2: createdAt = try reader.int64()
                case 3: kind = try reader.int32()
                case 4: body = try reader.bytes()
                default: try reader.skip()
                }
            }
        }
        guard (1...Self.maximumCounter).contains(counter) else { throw .wrongField("counter") }
        self.init(counter: counter, createdAt: createdAt, kind: ChangeKind(rawValue: kind), body: body)
    }

    /// The protobuf message.
    func marshalled() -> [UInt8] {
        var writer = ProtoWriter(reserving: body.count + 32)
        writer.varint(1, counter)
        writer.int64(2, createdAt)
        writer.int32(3, kind.rawValue)
        writer.bytes(4, body)
        return writer.bytes
    }
}

/// What a change is about. Numbers that this software does not know are kept: newer software may write them.
struct ChangeKind: RawRepresentable, Hashable, Sendable {
    let rawValue: Int32

    init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The space's name, description and icon.
    static let spaceDetails = ChangeKind(rawValue: 1)
    /// A chat is made; the change's id is the chat's.
    static let createChat = ChangeKind(rawValue: 16)
    /// A chat gets a name.
    static let renameChat = ChangeKind(rawValue: 17)
    /// A message is sent; the change's id is the message's.
    static let message = ChangeKind(rawValue: 18)
    /// A message gets another text.
    static let editMessage = ChangeKind(rawValue: 19)
    /// A message is deleted.
    static let deleteMessage = ChangeKind(rawValue: 20)
    /// A reaction is put on a message or taken off.
    static let reaction = ChangeKind(rawValue: 21)
}
