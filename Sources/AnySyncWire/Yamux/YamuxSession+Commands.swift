extension YamuxSession {
    /// Opens a stream. It may be written to at once.
    ///
    /// - Parameter now: the time; the peer must accept within ``YamuxLimits/acceptTimeout``, or the session ends.
    /// - Returns: the stream's id.
    /// - Throws: ``YamuxCommandError``.
    public mutating func open(now: MonotonicTime) throws(YamuxCommandError) -> UInt32 {
        guard closure == nil else { throw .sessionClosed }
        guard !sentGoAway, !gotGoAway else { throw .goneAway }
        guard streams.count - incomingCount < limits.maximumOutgoingStreams else {
            throw .tooManyStreams(limit: limits.maximumOutgoingStreams)
        }
        // A peer may have opened ids of our parity: the reference does not check it either.
        while let id = nextStreamId, streams[id] != nil {
            nextStreamId = Self.id(after: id)
        }
        guard let id = nextStreamId else { throw .streamIdsUsedUp }
        nextStreamId = Self.id(after: id)
        let deadline = now.advanced(by: limits.acceptTimeout)
        streams[id] = YamuxStream(state: [], deadline: deadline)
        watch(deadline)
        write(.windowUpdate, .syn, stream: id, length: 0)
        return id
    }

    /// Takes a stream that the peer opened. Do so promptly: a reference dialer ends the session after 10 s.
    ///
    /// Does nothing when the stream was taken before or is gone. Nothing is written when the peer has finished the
    /// stream already, as the reference does not.
    public mutating func accept(_ stream: UInt32) {
        guard let index = streams.index(forKey: stream) else { return }
        accept(at: index, stream)
    }

    /// Writes to a stream as much as can be taken now.
    ///
    /// - Parameters:
    ///   - bytes: what to write.
    ///   - stream: an open stream; one that the peer opened is accepted by this.
    /// - Returns: how many bytes were taken. When fewer than given, either the peer's window is used up
    ///   (``YamuxEvent/sendWindowOpened(stream:)`` will come) or ``YamuxLimits/maximumPendingOutput`` bytes wait for
    ///   ``takeOutput()``: try again after it.
    /// - Throws: ``YamuxCommandError``.
    public mutating func send(_ bytes: ArraySlice<UInt8>, on stream: UInt32) throws(YamuxCommandError) -> Int {
        guard closure == nil else { throw .sessionClosed }
        guard let index = streams.index(forKey: stream) else { throw .noSuchStream(stream) }
        guard !streams.values[index].state.contains(.finished) else { throw .alreadyFinished(stream) }
        accept(at: index, stream)
        let window = Int(streams.values[index].sendWindow)
        if bytes.count > window {
            streams.values[index].state.insert(.blocked)
        }
        let room = max(0, limits.maximumPendingOutput - output.count)
        let count = min(bytes.count, window, room)
        guard count > 0 else { return 0 }
        let frames = (count + YamuxLimits.maximumDataLength - 1) / YamuxLimits.maximumDataLength
        if output.isEmpty {
            output.reserveCapacity(count + frames * YamuxHeader.size)
        }
        var rest = bytes.prefix(count)
        while !rest.isEmpty {
            let piece = rest.prefix(YamuxLimits.maximumDataLength)
            write(.data, [], stream: stream, length: UInt32(piece.count))
            output.append(contentsOf: piece)
            rest = rest.dropFirst(piece.count)
        }
        streams.values[index].sendWindow -= UInt32(count)
        return count
    }

    /// How many bytes the peer's window for a stream has room for; 0 for a stream that cannot be written to.
    public func sendCapacity(of stream: UInt32) -> Int {
        guard let entry = streams[stream], !entry.state.contains(.finished) else { return 0 }
        return Int(entry.sendWindow)
    }

    /// Reports received bytes as dealt with. The peer is granted as many anew once they are half of the window.
    ///
    /// - Parameters:
    ///   - count: how many bytes.
    ///   - stream: the stream they came on; one that is gone is ignored.
    public mutating func consumed(_ count: Int, on stream: UInt32) {
        guard closure == nil, count > 0, let index = streams.index(forKey: stream) else { return }
        let window = streams.values[index].receiveWindow
        let received = YamuxLimits.initialWindow - window
        let total = min(UInt64(received), UInt64(streams.values[index].unannounced) + UInt64(count))
        let delta = UInt32(total)
        guard delta >= YamuxLimits.initialWindow / 2, !streams.values[index].state.contains(.peerFinished) else {
            streams.values[index].unannounced = delta
            return
        }
        streams.values[index].unannounced = 0
        streams.values[index].receiveWindow = window + delta
        write(.windowUpdate, [], stream: stream, length: delta)
    }

    /// Writes no more on a stream. What the peer writes still arrives, for ``YamuxLimits/closeTimeout`` at most.
    ///
    /// When the peer had finished before, the stream is forgotten at once. Does nothing when it was finished or is
    /// gone.
    public mutating func finish(_ stream: UInt32, now: MonotonicTime) {
        guard closure == nil, let index = streams.index(forKey: stream) else { return }
        guard !streams.values[index].state.contains(.finished) else { return }
        accept(at: index, stream)
        write(.windowUpdate, .fin, stream: stream, length: 0)
        streams.values[index].state.insert(.finished)
        if streams.values[index].state.contains(.peerFinished) {
            remove(stream)
        } else {
            let deadline = now.advanced(by: limits.closeTimeout)
            streams.values[index].deadline = deadline
            watch(deadline)
        }
    }

    /// Ends a stream at once, both ways. Does nothing when it is gone.
    public mutating func reset(_ stream: UInt32) {
        guard closure == nil, remove(stream) != nil else { return }
        write(.windowUpdate, .rst, stream: stream, length: 0)
    }

    /// Tells the peer that no more streams are taken. Those that are open go on; close the connection when none is
    /// left.
    ///
    /// - Parameter code: anything but ``GoAwayCode/normal`` makes the peer end the session.
    public mutating func goAway(_ code: GoAwayCode = .normal) {
        guard closure == nil, !sentGoAway else { return }
        sentGoAway = true
        write(.goAway, [], stream: 0, length: code.rawValue)
    }

    private mutating func accept(at index: Dictionary<UInt32, YamuxStream>.Index, _ stream: UInt32) {
        let state = streams.values[index].state
        guard state.contains(.incoming), !state.contains(.accepted) else { return }
        streams.values[index].state.insert(.accepted)
        waitingForAccept -= 1
        if !state.contains(.peerFinished) {
            write(.windowUpdate, .ack, stream: stream, length: 0)
        }
    }

    private static func id(after id: UInt32) -> UInt32? {
        let (next, overflow) = id.addingReportingOverflow(2)
        return overflow ? nil : next
    }
}
