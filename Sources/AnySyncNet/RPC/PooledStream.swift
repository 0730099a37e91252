internal import AnySyncWire

/// A client's stream, ready for one call after the other.
///
/// Unchecked because its variables are mutable: it belongs to its ``DRPCClient``, and only that touches them.
final class PooledStream: ReusableStream, @unchecked Sendable {
    let stream: any ByteStream
    var codec: DRPCClientStream
    var idleSince = MonotonicTime.zero

    private init(_ stream: any ByteStream, _ codec: DRPCClientStream) {
        self.stream = stream
        self.codec = codec
    }

    /// Runs the handshake that opens a stream (protocol.md §6, "Proto handshake").
    static func open(on stream: any ByteStream, _ limits: DRPCLimits) async throws(CallError) -> PooledStream {
        var opener = ProtoOpener()
        do throws(TransportError) {
            try await stream.write(opener.start())
        } catch {
            throw .transport(error)
        }
        while true {
            var input = try await read(stream)[...]
            switch opener.receive(&input).result {
            case nil: continue
            case .failure(let failure): throw .streamRefused(failure)
            case .success(let encoding):
                let pooled = PooledStream(stream, DRPCClientStream(encoding: encoding, limits: limits))
                guard !input.isEmpty else { return pooled }
                do throws(DRPCError) {
                    _ = try pooled.codec.receive(input)
                } catch {
                    throw .malformed(error)
                }
                return pooled
            }
        }
    }

    func isOpen() async -> Bool {
        await stream.isOpen
    }

    func close() {
        stream.close()
    }

    func write(_ bytes: [UInt8]) async throws(CallError) {
        do throws(TransportError) {
            try await stream.write(bytes)
        } catch {
            throw .transport(error)
        }
    }

    func read() async throws(CallError) -> [UInt8] {
        try await Self.read(stream)
    }

    private static func read(_ stream: any ByteStream) async throws(CallError) -> [UInt8] {
        do throws(TransportError) {
            guard let bytes = try await stream.read() else { throw .streamReset }
            return bytes
        } catch {
            throw .transport(error)
        }
    }
}
