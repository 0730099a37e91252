internal import CQUIC

/// A QUIC connection id of up to 20 bytes, as the key of a table.
struct ConnectionId: Hashable {
    private let bytes: (UInt64, UInt64, UInt32)
    private let count: UInt8

    init(_ id: cquic_id) {
        count = id.count
        // What lies behind the id is not part of it.
        var padded = (UInt64(0), UInt64(0), UInt32(0))
        withUnsafeMutableBytes(of: &padded) { target in
            withUnsafeBytes(of: id.bytes) { target.copyBytes(from: $0.prefix(min(Int(id.count), target.count))) }
        }
        bytes = padded
    }

    static func == (left: ConnectionId, right: ConnectionId) -> Bool {
        left.bytes == right.bytes && left.count == right.count
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(bytes.0)
        hasher.combine(bytes.1)
        hasher.combine(bytes.2)
        hasher.combine(count)
    }
}
