internal import CQUIC

/// What one stream has to send, from when it is written until the peer has acknowledged it: the library sends from
/// here, again when a packet is lost, so the bytes stay where they are.
///
/// Belongs to one ``QUICSession``.
final class SendQueue {
    private struct Chunk {
        let bytes: UnsafeMutableRawBufferPointer
        /// Where in the stream it begins.
        let start: UInt64
        var end: UInt64 { start + UInt64(bytes.count) }
    }

    private var chunks: [Chunk] = []
    /// The first chunk that is not wholly acknowledged.
    private var head = 0
    /// The first chunk that is not wholly sent.
    private var next = 0
    private var acknowledged: UInt64 = 0
    private var sent: UInt64 = 0
    private var end: UInt64 = 0
    private var isFinished = false
    private var isFinishSent = false
    private var isOver = false

    deinit {
        for chunk in chunks[head...] { chunk.bytes.deallocate() }
    }

    /// Bytes not yet sent.
    var unsentCount: Int { Int(end - sent) }
    /// Bytes that take up memory: unsent, or not acknowledged.
    private(set) var heldCount = 0
    /// Whether there is anything to send, be it only the end.
    var hasOutput: Bool { !isOver && (sent < end || isFinished && !isFinishSent) }

    /// Takes bytes in.
    func append(_ bytes: ArraySlice<UInt8>) {
        guard !isFinished, !isOver, !bytes.isEmpty else { return }
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.prefix(Self.largestChunk)
            rest = rest.dropFirst(piece.count)
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
            piece.withUnsafeBytes { copy.copyMemory(from: $0) }
            chunks.append(Chunk(bytes: copy, start: end))
            end += UInt64(piece.count)
        }
        heldCount += bytes.count
    }

    // A chunk is freed as a whole. One that a stalled reader leaves half sent must not take up the room of all streams.
    private static let largestChunk = 8 * 1024

    /// Nothing comes after what was taken in.
    func finish() {
        isFinished = true
    }

    /// Nothing more can be sent. What was sent stays until it is acknowledged or the stream closed.
    func stop() {
        isOver = true
    }

    /// Lets `body` offer what is unsent to the library.
    ///
    /// - Parameter body: gets the next chunks, and whether the stream ends behind them.
    func offer(_ body: (UnsafePointer<cquic_chunk>?, Int, Bool) -> cquic_written) -> cquic_written {
        let offered = chunks[next...].prefix(Self.chunksPerOffer)
        return withUnsafeTemporaryAllocation(of: cquic_chunk.self, capacity: Self.chunksPerOffer) { table in
            var last = sent
            for (position, chunk) in offered.enumerated() {
                // Of the first chunk a part may be sent already.
                let skipped = Int(max(sent, chunk.start) - chunk.start)
                let rest = UnsafeRawBufferPointer(rebasing: chunk.bytes[skipped...])
                table[position] = cquic_chunk(
                    bytes: rest.baseAddress?.assumingMemoryBound(to: UInt8.self), count: rest.count)
                last = chunk.end
            }
            let isLast = isFinished && last == end
            let written = body(table.baseAddress, offered.count, isLast)
            guard written.taken >= 0 else { return written }
            advance(by: written.taken)
            if isLast, sent == end { isFinishSent = true }
            return written
        }
    }

    private func advance(by count: Int) {
        sent += UInt64(count)
        while next < chunks.count, chunks[next].end <= sent { next += 1 }
    }

    /// Frees what the peer has up to this place.
    func acknowledge(upTo offset: UInt64) {
        acknowledged = max(acknowledged, offset)
        while head < next, chunks[head].end <= acknowledged {
            heldCount -= chunks[head].bytes.count
            chunks[head].bytes.deallocate()
            head += 1
        }
        if head == chunks.count {
            chunks.removeAll(keepingCapacity: chunks.capacity <= Self.chunksPerOffer)
            (head, next) = (0, 0)
        } else if head > 32, head * 2 > chunks.count {
            chunks.removeFirst(head)
            next -= head
            head = 0
        }
    }

    private static let chunksPerOffer = 16
}
