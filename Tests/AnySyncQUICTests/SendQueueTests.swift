import AnySyncNet
import AnySyncWire
import CQUIC
import Testing

@testable import AnySyncQUIC

@Suite struct SendQueueTests {
    /// Takes up to `limit` bytes out, as the library would.
    private func take(_ queue: SendQueue, _ limit: Int) -> (bytes: [UInt8], isLast: Bool) {
        var bytes: [UInt8] = []
        var ended = false
        _ = queue.offer { chunks, count, isLast in
            for index in 0..<count {
                guard let chunk = chunks?[index] else { continue }
                bytes += UnsafeBufferPointer(start: chunk.bytes, count: chunk.count)
            }
            ended = isLast && bytes.count <= limit
            bytes = Array(bytes.prefix(limit))
            return cquic_written(result: CQUIC_MORE, size: 0, taken: bytes.count)
        }
        return (bytes, ended)
    }

    @Test func bytesLeaveInOrderAndStayUntilAcknowledged() {
        let queue = SendQueue()
        var expected: [UInt8] = []
        for number in 0..<100 {
            let bytes = [UInt8](repeating: UInt8(number), count: number)
            expected += bytes
            queue.append(bytes[...])
        }
        queue.finish()
        #expect(queue.unsentCount == expected.count)
        var sent: [UInt8] = []
        var isLast = false
        var step = 1
        while !isLast {
            let piece = take(queue, step)
            sent += piece.bytes
            isLast = piece.isLast
            step = step % 97 + 13
            queue.acknowledge(upTo: UInt64(sent.count / 2))
            #expect(queue.heldCount >= expected.count - sent.count / 2)
        }
        #expect(sent == expected)
        #expect(!queue.hasOutput)
        queue.acknowledge(upTo: UInt64(sent.count))
        #expect(queue.heldCount == 0)
    }

    @Test func aLongWriteIsFreedAsItIsAcknowledged() {
        let queue = SendQueue()
        queue.append([UInt8](repeating: 1, count: 100_000)[...])
        // Its reader stalls before the end.
        while queue.unsentCount > 1000 { _ = take(queue, min(queue.unsentCount - 1000, 5000)) }
        queue.acknowledge(upTo: 99_000)
        #expect(queue.heldCount < 10_000)
    }

    @Test func theEndAloneIsOutput() {
        let queue = SendQueue()
        #expect(!queue.hasOutput)
        queue.finish()
        #expect(queue.hasOutput)
        #expect(take(queue, 10).isLast)
        #expect(!queue.hasOutput)
        queue.append([1][...])
        #expect(queue.unsentCount == 0)
    }

    @Test func whatIsRefusedStaysToBeSent() {
        let queue = SendQueue()
        queue.append([1, 2, 3][...])
        _ = queue.offer { _, _, _ in cquic_written(result: CQUIC_BLOCKED, size: 0, taken: -1) }
        #expect(queue.unsentCount == 3)
        queue.stop()
        #expect(!queue.hasOutput)
        #expect(queue.heldCount == 3)
    }
}
