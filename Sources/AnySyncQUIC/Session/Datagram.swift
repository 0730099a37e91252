internal import CQUIC

/// What a datagram is, as far as can be told without keys.
enum Datagram {
    /// A packet with a long header, addressed to this id.
    case long(ConnectionId)
    /// A packet of an established connection, addressed to this id; raw for answering.
    case short(ConnectionId, raw: StatelessReset)
    /// A packet of a version that is not spoken here, to be told so.
    case otherVersion
    /// Nothing that could be answered.
    case other

    /// Tells what a datagram is.
    init(_ bytes: UnsafeRawBufferPointer) {
        var id = cquic_id()
        let kind = cquic_classify(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &id)
        self =
            switch kind {
            case CQUIC_DATAGRAM_LONG: .long(ConnectionId(id))
            case CQUIC_DATAGRAM_SHORT: .short(ConnectionId(id), raw: StatelessReset(id: id, trigger: bytes.count))
            case CQUIC_DATAGRAM_OTHER_VERSION: .otherVersion
            default: .other
            }
    }

    /// Writes the packet that tells which versions are spoken here.
    static func versionNegotiation(
        for bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        cquic_write_version_negotiation(
            buffer.baseAddress, buffer.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
}

/// The packet that tells a peer that its connection is unknown here.
struct StatelessReset {
    fileprivate let id: cquic_id
    fileprivate let trigger: Int

    /// Writes it; always smaller than what it answers.
    func write(_ context: QUICContext, into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        withUnsafePointer(to: id) {
            cquic_write_stateless_reset(context.raw, buffer.baseAddress, buffer.count, $0, trigger)
        }
    }
}
