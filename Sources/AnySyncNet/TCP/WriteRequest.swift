internal import CUV

/// One queued write: libuv's request with a copy of the bytes behind it, in one block that lives until libuv is done.
///
/// Only what the kernel does not take at once is queued, so the copy is rare.
struct WriteRequest {
    private struct Header {
        // First, so that a pointer to the request is a pointer to the block.
        var request = uv_write_t()
        var count: Int
    }

    private let block: UnsafeMutableRawPointer
    private static var offset: Int { MemoryLayout<Header>.stride }

    static func make(copying bytes: ArraySlice<UInt8>) -> WriteRequest {
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: offset + bytes.count, alignment: MemoryLayout<Header>.alignment)
        block.initializeMemory(as: Header.self, to: Header(count: bytes.count))
        bytes.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            (block + offset).copyMemory(from: source, byteCount: bytes.count)
        }
        return WriteRequest(block: block)
    }

    func start(on stream: UnsafeMutablePointer<uv_stream_t>, _ completion: @escaping uv_write_cb) -> Int32 {
        let header = block.assumingMemoryBound(to: Header.self)
        var buffer = uv_buf_init(
            (block + Self.offset).assumingMemoryBound(to: CChar.self), UInt32(clamping: header.pointee.count))
        let request = UnsafeMutableRawPointer(header).assumingMemoryBound(to: uv_write_t.self)
        return uv_write(request, stream, &buffer, 1, completion)
    }

    /// Frees a request that was not started.
    ///
    /// - Returns: how many bytes it held.
    func discard() -> Int {
        let count = block.assumingMemoryBound(to: Header.self).pointee.count
        block.deallocate()
        return count
    }

    /// Frees a request that libuv is done with.
    static func finish(_ request: UnsafeMutablePointer<uv_write_t>) -> Int {
        WriteRequest(block: UnsafeMutableRawPointer(request)).discard()
    }
}
