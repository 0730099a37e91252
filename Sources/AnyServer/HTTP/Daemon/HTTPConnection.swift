internal import CMicroHTTPD
internal import Glibc

/// One client's connection to an ``HTTPDaemon``.
///
/// Unchecked because the library's pointer and the state beside it are plain variables: a connection is made, used and
/// closed by the daemon's callbacks and by the server's actor, both of which run on the loop's thread only, and it is
/// handed to nobody else.
final class HTTPConnection: @unchecked Sendable {
    /// What becomes of a request.
    enum Verdict {
        /// It is read on.
        case proceed
        /// It is answered at once and the connection closed.
        case refuse(EncodedResponse)
    }

    /// What an event stream has for its client.
    enum StreamOutput {
        case bytes(ArraySlice<UInt8>)
        /// Nothing now: ``resume()`` asks again.
        case nothing
        /// Nothing any more.
        case end
    }

    /// The connection's number, never used twice.
    let id: UInt64
    /// The socket, for watching only.
    let socket: Int32

    private var pointer: OpaquePointer?
    private weak var daemon: HTTPDaemon?
    private var request = Request()
    private var isSuspended = false
    private var isAborted = false

    /// Bytes that a refused client may still send before the connection is cut. A client that sends its whole body
    /// before it reads would otherwise get a reset instead of the answer.
    private static let discardLimit = 1 << 20
    /// What a stream's response keeps for clients of HTTP/1.0; others are written from the connection's own memory.
    private static let streamBlock = 1024

    /// Where a request is, as the library calls for it again and again.
    private struct Request {
        var target: [UInt8] = []
        var hasBegun = false
        var isSettled = false
        var isReceived = false
        var body: [UInt8] = []
        /// What may still be discarded after a refusal, `nil` when the request was not refused.
        var discardable: Int?
    }

    init(_ pointer: OpaquePointer, id: UInt64, daemon: HTTPDaemon) {
        self.pointer = pointer
        self.id = id
        self.daemon = daemon
        socket = cmhd_socket(pointer)
    }

    static func of(_ pointer: OpaquePointer) -> HTTPConnection? {
        cmhd_socket_context(pointer).map { Unmanaged<HTTPConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: What the server does

    /// Whether the client has closed its direction with a request unfinished, or with none begun.
    ///
    /// The library takes a read that fills less than its buffer for the last one until the socket has news. When the
    /// end came together with the bytes before it there is no more news, and the library would wait for ever.
    var endsUnfinished: Bool {
        guard pointer != nil, !isSuspended, !request.isSettled else { return false }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// Answers the request of a suspended connection.
    ///
    /// - Returns: Whether the response is on its way; if not, the connection is being closed.
    func respond(_ response: EncodedResponse) -> Bool {
        guard let pointer, isSuspended, !isAborted, let reply = reply(for: response) else {
            abort()
            return false
        }
        defer { MHD_destroy_response(reply) }
        for field in response.headers.fields {
            MHD_add_response_header(reply, field.name, field.value)
        }
        guard MHD_queue_response(pointer, UInt32(response.status.code), reply) == .YES else {
            abort()
            return false
        }
        resume()
        return true
    }

    /// Has a stream that said ``StreamOutput/nothing`` be asked again.
    func resume() {
        guard let pointer, isSuspended else { return }
        isSuspended = false
        daemon?.hasNews = true
        MHD_resume_connection(pointer)
    }

    /// Closes the connection without another byte.
    func abort() {
        guard pointer != nil, !isAborted else { return }
        isAborted = true
        if isSuspended {
            resume()
        } else {
            // The library has no call for this, but notices on its socket.
            shutdown(socket, Int32(SHUT_RDWR))
        }
    }

    // MARK: What the library calls, through the daemon

    func closed() {
        pointer = nil
        isSuspended = false
    }

    func targetArrived(_ target: UnsafePointer<CChar>?) {
        request = Request()
        guard let target else { return }
        request.target = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
    }

    func requestEnded() {
        request = Request()
    }

    /// One step of a request: its head, a part of its body, or its end.
    ///
    /// - Returns: Whether the connection goes on.
    func advance(
        method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, data: UnsafePointer<CChar>?,
        count: UnsafeMutablePointer<Int>, delegate: any HTTPDaemonDelegate
    ) -> Bool {
        if isAborted { return false }
        if !request.hasBegun {
            request.hasBegun = true
            let head = RequestHead(
                method: method.map { String(cString: $0) } ?? "", target: request.target,
                version: version.map { String(cString: $0) } ?? "", headers: headers())
            return apply(delegate.requestBegan(self, head: head))
        }
        if count.pointee > 0 {
            defer { count.pointee = 0 }
            return take(UnsafeRawBufferPointer(start: data, count: count.pointee), delegate: delegate)
        }
        if request.discardable != nil { return false }
        // When the end is first reported the library still believes it is reading, and after a suspension it would read
        // once more, find that a client has closed its direction and drop the response. One turn later it knows better.
        guard request.isSettled else {
            request.isSettled = true
            return true
        }
        guard !request.isReceived else { return true }
        request.isReceived = true
        suspend()
        let body = request.body
        request.body = []
        delegate.requestReceived(self, body: body)
        return true
    }

    private func take(_ bytes: UnsafeRawBufferPointer, delegate: any HTTPDaemonDelegate) -> Bool {
        if let left = request.discardable {
            request.discardable = left - bytes.count
            return bytes.count <= left
        }
        guard apply(delegate.bodyArrives(self, count: bytes.count)) else { return false }
        if request.discardable == nil { request.body.append(contentsOf: bytes) }
        return true
    }

    private func apply(_ verdict: Verdict) -> Bool {
        guard case .refuse(let response) = verdict else { return true }
        return refuse(response)
    }

    /// Answers a request whose body is not all there, and closes our direction.
    ///
    /// - Returns: Whether the answer is on its way.
    func refuse(_ response: EncodedResponse) -> Bool {
        // The library answers either before a body or after it, but not in its middle. Nothing of this request's answer
        // has been written yet, so it goes out directly, and our direction is closed behind it.
        request.discardable = Self.discardLimit
        request.body = []
        let bytes = response.wireBytes
        let sent = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        shutdown(socket, Int32(SHUT_WR))
        return sent == bytes.count
    }

    private func suspend() {
        guard let pointer, !isSuspended else { return }
        isSuspended = true
        MHD_suspend_connection(pointer)
    }

    private func headers() -> HTTPHeaders {
        guard let pointer else { return HTTPHeaders() }
        var headers = HTTPHeaders()
        withUnsafeMutablePointer(to: &headers) { headers in
            _ = MHD_get_connection_values(
                pointer, .HEADER_KIND,
                { context, _, name, value in
                    guard let context, let name else { return .YES }
                    context.assumingMemoryBound(to: HTTPHeaders.self).pointee.add(
                        String(cString: name), value.map { String(cString: $0) } ?? "")
                    return .YES
                }, headers)
        }
        return headers
    }

    private func reply(for response: EncodedResponse) -> OpaquePointer? {
        switch response.body {
        case .bytes(let bytes):
            return bytes.withUnsafeBytes { buffer in
                // Copied, for the library keeps it longer than the call; it does not write to what it copies.
                MHD_create_response_from_buffer(
                    buffer.count, UnsafeMutableRawPointer(mutating: buffer.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .events:
            let context = Unmanaged.passRetained(self)
            let reply = MHD_create_response_from_callback(
                UInt64.max, Self.streamBlock,
                { context, _, buffer, capacity in
                    guard let context, let buffer else { return -2 }
                    return Unmanaged<HTTPConnection>.fromOpaque(context).takeUnretainedValue()
                        .fill(UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
                },
                context.toOpaque(),
                { context in
                    if let context { Unmanaged<HTTPConnection>.fromOpaque(context).release() }
                })
            if reply == nil { context.release() }
            return reply
        }
    }

    /// Fills a buffer with what the stream has: the number of bytes, 0 for a suspension, −1 at the end, −2 to cut.
    private func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let delegate = daemon?.delegate, !isAborted else { return -2 }
        var filled = 0
        while filled < buffer.count {
            switch delegate.streamWanted(self, atMost: buffer.count - filled) {
            case .bytes(let bytes):
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                bytes.withUnsafeBytes { rest.copyMemory(from: $0) }
                filled += bytes.count
            case .nothing:
                if filled == 0 { suspend() }
                return filled
            case .end:
                // Asked again after the rest is out.
                return filled == 0 ? -1 : filled
            }
        }
        return filled
    }
}
