extension YamuxSession {
    /// When ``tick(now:into:)`` is to be called next; `nil` when the session is over.
    public var nextDeadline: MonotonicTime? {
        guard closure == nil else { return nil }
        var earliest = mayWrite ? nextPing : .init(nanoseconds: .max)
        if let pingDeadline { earliest = min(earliest, pingDeadline) }
        if let earliestStreamDeadline { earliest = min(earliest, earliestStreamDeadline) }
        return earliest
    }

    /// Does what is due: sends a ping, resets streams that the peer does not finish, ends a session whose peer is gone.
    ///
    /// - Parameters:
    ///   - now: the time. Calling before ``nextDeadline`` does nothing.
    ///   - events: what ended is appended here.
    public mutating func tick(now: MonotonicTime, into events: inout [YamuxEvent]) {
        guard closure == nil else { return }
        if let pingDeadline, pingDeadline <= now {
            return close(mayWrite ? .pingTimeout : .silentPeer, into: &events)
        }
        if let earliestStreamDeadline, earliestStreamDeadline <= now {
            expireStreams(now, into: &events)
        }
        guard closure == nil, mayWrite, nextPing <= now else { return }
        ping(now)
        if streams.isEmpty {
            // A table keeps the size of its busiest moment; an idle connection should not.
            streams = [:]
        }
    }

    /// Does what is due; see ``tick(now:into:)``.
    public mutating func tick(now: MonotonicTime) -> [YamuxEvent] {
        var events: [YamuxEvent] = []
        tick(now: now, into: &events)
        return events
    }

    private mutating func ping(_ now: MonotonicTime) {
        nextPing = now.advanced(by: limits.pingInterval)
        guard pingDeadline == nil else { return }
        pingDeadline = now.advanced(by: limits.pingTimeout)
        write(.ping, .syn, stream: 0, length: pingValue)
        pingValue &+= 1
    }

    private mutating func expireStreams(_ now: MonotonicTime, into events: inout [YamuxEvent]) {
        earliestStreamDeadline = nil
        var expired: [UInt32] = []
        for (id, stream) in streams {
            guard let deadline = stream.deadline else { continue }
            if deadline > now {
                watch(deadline)
            } else if stream.state.contains(.finished) {
                expired.append(id)
            } else {
                return close(.acceptTimeout(stream: id), into: &events)
            }
        }
        for id in expired.sorted() {
            reset(id)
            events.append(.streamReset(stream: id, .closeTimeout))
        }
    }
}
