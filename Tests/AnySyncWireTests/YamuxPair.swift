import AnySyncWire

/// A dialer and a listener joined by an imagined connection.
struct YamuxPair {
    var dialer: YamuxSession
    var listener: YamuxSession
    var now = MonotonicTime.zero

    init(limits: YamuxLimits = YamuxLimits()) {
        dialer = YamuxSession(role: .dialer, limits: limits, now: now)
        listener = YamuxSession(role: .listener, limits: limits, now: now)
    }

    /// Carries what the dialer has written over.
    @discardableResult
    mutating func toListener() -> [YamuxEvent] {
        listener.receive(dialer.takeOutput()[...], now: now)
    }

    /// Carries what the listener has written over.
    @discardableResult
    mutating func toDialer() -> [YamuxEvent] {
        dialer.receive(listener.takeOutput()[...], now: now)
    }

    /// Opens a stream at the dialer that the listener takes.
    mutating func openStream() throws -> UInt32 {
        let stream = try dialer.open(now: now)
        toListener()
        listener.accept(stream)
        toDialer()
        return stream
    }
}

/// A frame as bytes.
func frame(
    _ kind: YamuxHeader.Kind, _ flags: YamuxHeader.Flags = [], stream: UInt32 = 1, length: UInt32 = 0,
    data: [UInt8] = []
) -> [UInt8] {
    var bytes: [UInt8] = []
    YamuxHeader(kind, flags: flags, stream: stream, length: data.isEmpty ? length : UInt32(data.count))
        .encode(to: &bytes)
    return bytes + data
}

/// A listener that has taken in `bytes` at time zero, and what came of it.
func listener(
    _ bytes: [UInt8], limits: YamuxLimits = YamuxLimits()
) -> (session: YamuxSession, events: [YamuxEvent]) {
    var session = YamuxSession(role: .listener, limits: limits, now: .zero)
    let events = session.receive(bytes[...], now: .zero)
    return (session, events)
}

/// Events with adjacent data of one stream joined.
func joined(_ events: [YamuxEvent]) -> [YamuxEvent] {
    var result: [YamuxEvent] = []
    for event in events {
        if case .data(let stream, let bytes) = event, case .data(stream, let before)? = result.last {
            result[result.count - 1] = .data(stream: stream, before + bytes)
        } else {
            result.append(event)
        }
    }
    return result
}
