import AnySyncQUIC
import AnySyncWire

/// Sends a stranger's datagram to a QUIC listener: never more than three times as much comes back.
public func fuzzQUICDatagram(_ bytes: [UInt8]) {
    let answer = FirstContact.answer(bytes, now: MonotonicTime(nanoseconds: 1_000_000_000))
    let size = answer.datagrams.reduce(0) { $0 + $1.count }
    precondition(size <= 3 * bytes.count, "an unvalidated address gets more than three times what it sent")
    switch answer.kind {
    case .ignored: break
    case .unknownConnection: precondition(size < bytes.count, "a reset is as large as what it answers")
    case .otherVersion, .badToken, .needsProof, .connection:
        precondition(bytes.count >= 1200, "a datagram that is too small is answered")
    }
}
