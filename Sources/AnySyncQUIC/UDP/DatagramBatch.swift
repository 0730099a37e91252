internal import CQUIC
internal import Glibc

/// Room for the datagrams that one call of the system takes in. One serves every socket of a loop, one after the other,
/// so that an idle socket owns no buffer.
///
/// Belongs to the loop's thread.
final class DatagramBatch {
    private let batch: OpaquePointer

    /// - Returns: `nil` when there is no memory.
    init?() {
        guard let batch = cquic_batch_new() else { return nil }
        self.batch = batch
    }

    deinit {
        cquic_batch_free(batch)
    }

    /// How many datagrams one call takes in at most.
    static let capacity = Int(CQUIC_BATCH_COUNT)

    /// Takes in what waits at a socket.
    ///
    /// - Returns: how many, or the system's error, negative.
    func receive(from descriptor: Int32) -> Int {
        Int(cquic_batch_receive(batch, descriptor))
    }

    /// Lets `body` look at one of the datagrams taken in; it must not keep the bytes.
    ///
    /// - Parameter bound: what the socket is bound to.
    func withDatagram(
        _ index: Int, bound: sockaddr_storage, _ body: (UnsafeRawBufferPointer, DatagramPath) -> Void
    ) {
        var path = DatagramPath()
        var count = 0
        let bytes = path.withRaw { raw in
            withUnsafePointer(to: bound) { cquic_batch_datagram(batch, Int32(index), $0, &count, raw) }
        }
        guard let bytes else { return }
        body(UnsafeRawBufferPointer(start: bytes, count: count), path)
    }
}
