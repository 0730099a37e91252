internal import CQUIC

// What the owner of a session's streams does with them.
extension QUICSession {
    /// Opens a stream; `nil` when the peer allows no more now.
    func openStream() -> Int64? {
        let id = cquic_open_stream(handle)
        return id == Int64(CQUIC_NO_STREAM) ? nil : id
    }

    /// How many bytes of a stream may be taken in for sending: what the peer has room for, and a little more, so that a
    /// peer that stops the stream is noticed.
    func room(on id: Int64) -> Int {
        let granted = Int(clamping: cquic_stream_room(handle, id))
        return max(0, granted + Self.overhang - (queues[id]?.unsentCount ?? 0))
    }

    private static let overhang = 1024

    /// Takes bytes in for sending.
    func send(_ bytes: ArraySlice<UInt8>, on id: Int64) {
        queue(of: id).append(bytes)
        sentCount += UInt64(bytes.count)
        setReady(id)
    }

    /// Says that nothing more will be sent on a stream.
    func finish(_ id: Int64) {
        queue(of: id).finish()
        setReady(id)
    }

    /// Ends a stream in both directions at once.
    func reset(_ id: Int64, code: UInt64) {
        queues[id]?.stop()
        cquic_reset_stream(handle, id, code)
    }

    /// Takes nothing more from a stream.
    func stopReading(_ id: Int64, code: UInt64) {
        cquic_stop_reading(handle, id, code)
    }

    /// Gives the peer room for what was consumed.
    func consumed(_ count: Int, on id: Int64) {
        cquic_consumed(handle, id, count)
    }

    /// Bytes of all streams that wait to be sent or acknowledged.
    var heldCount: Int {
        queues.values.reduce(0) { $0 + $1.heldCount }
    }

    /// Bytes that were handed over for sending and are not held any more.
    var takenCount: UInt64 { sentCount - min(sentCount, UInt64(heldCount)) }

    private func queue(of id: Int64) -> SendQueue {
        if let queue = queues[id] { return queue }
        let queue = SendQueue()
        queues[id] = queue
        return queue
    }
}
