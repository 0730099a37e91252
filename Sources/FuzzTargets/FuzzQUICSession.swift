import AnySyncQUIC

/// Plays two QUIC sessions on a network that does whatever the bytes say, between owners that do likewise: what arrives
/// is what was sent, and memory stays within its bound.
public func fuzzQUICSession(_ bytes: [UInt8]) {
    guard let pair = SessionPair() else { return }
    var sent: [SessionPair.Side: [Int64: Int]] = [.dialer: [:], .listener: [:]]
    // Most that can be learned lies behind the handshake, which few inputs would get through by themselves.
    if bytes.first.map({ $0 & 1 == 1 }) ?? false {
        pair.carryAll()
        precondition(pair.isEstablished(.dialer) && pair.isEstablished(.listener), "two honest sessions do not connect")
    }
    for byte in bytes.dropFirst().prefix(512) {
        let side: SessionPair.Side = byte & 0x10 == 0 ? .dialer : .listener
        step(pair, side, operation: byte & 0x0f, choice: Int(byte >> 5), &sent)
        for side in SessionPair.Side.allCases {
            let memory = pair.memory(of: side)
            precondition(memory.used <= memory.limit, "the library holds too much")
            for (stream, count) in pair.received(at: side) {
                precondition(count <= sent[side.peer]?[stream] ?? 0, "more arrived than was sent")
            }
        }
    }
    pair.close(.dialer)
    pair.carryAll()
    pair.close(.listener)
}

private func step(
    _ pair: SessionPair, _ side: SessionPair.Side, operation: UInt8, choice: Int,
    _ sent: inout [SessionPair.Side: [Int64: Int]]
) {
    let streams = pair.streams(side)
    let stream = streams.isEmpty ? nil : streams[choice % streams.count]
    switch operation {
    case 0: if let datagram = pair.take(from: side) { pair.carry(datagram, from: side) }
    case 1: _ = pair.take(from: side)
    case 2:
        guard let datagram = pair.take(from: side) else { return }
        pair.carry(datagram, from: side)
        pair.carry(datagram, from: side)
    case 3:
        // The second before the first.
        guard let first = pair.take(from: side) else { return }
        if let second = pair.take(from: side) { pair.carry(second, from: side) }
        pair.carry(first, from: side)
    case 4:
        guard var datagram = pair.take(from: side) else { return }
        datagram[datagram.count * choice / 8] ^= 1 << UInt8(choice)
        pair.carry(datagram, from: side)
    case 5:
        guard let datagram = pair.take(from: side) else { return }
        pair.carry(Array(datagram.prefix(datagram.count * (choice + 1) / 9)), from: side)
    case 6: _ = pair.openStream(side)
    case 7, 8:
        guard let stream else { return }
        let start = sent[side]?[stream] ?? 0
        let count = min(pair.room(stream, side), operation == 7 ? choice * 7 + 1 : 1 << (choice + 9))
        let bytes = (start..<start + count).map { SessionPair.pattern(stream, $0) }
        sent[side]?[stream] = start + count
        pair.act(.send(bytes), stream, side)
    case 9: if let stream { pair.act(.finish, stream, side) }
    case 10: if let stream { pair.act(.reset, stream, side) }
    case 11: if let stream { pair.act(.stopReading, stream, side) }
    case 12: pair.updateKeys(side)
    case 13: pair.advance(by: .milliseconds(1 << (2 * choice)))
    case 14: pair.carryAll()
    default: if choice == 7 { pair.close(side) } else { pair.carryAll(rounds: 1) }
    }
}
