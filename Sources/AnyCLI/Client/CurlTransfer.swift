import CCurl
import Glibc

/// One HTTP request by libcurl, and its answer as it comes. The only file that touches libcurl.
final class CurlTransfer {
    /// Why there is no answer.
    enum Failure: Error {
        /// Nobody listens there, or the host is not known.
        case unreachable(reason: String)
        case timedOut
        /// The connection ended before the answer did.
        case cut(reason: String)
        /// The answer is larger than it may be.
        case tooLarge
        /// libcurl can not be used.
        case unusable(reason: String)
    }

    /// How an answer's waiting ends.
    enum Wait {
        /// Without an answer after so many milliseconds.
        case total(milliseconds: Int)
        /// When nothing was heard for so many seconds; connecting has so many milliseconds.
        case silence(seconds: Int, connecting: Int)
    }

    // What libcurl calls into, kept alive by the transfer.
    private final class Sink {
        var take: (UnsafeRawBufferPointer) -> Bool = { _ in true }
        var wasRefused = false
    }

    private let handle: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    private let sink = Sink()
    // libcurl copies neither.
    private let body: UnsafeMutableBufferPointer<UInt8>

    // Nothing of TLS: servers are on this machine. It would cost more than all the rest of a command.
    private static let isReady = curl_global_init(0) == CURLE_OK

    /// - Parameters:
    ///   - url: an `http:` URL.
    ///   - socketPath: the Unix socket to connect to, whatever the URL's host; `nil` for the host's port.
    ///   - headers: lines such as `Accept: application/json`.
    init(
        method: String, url: String, socketPath: String? = nil, headers: [String], body: [UInt8]?, wait: Wait
    ) throws(Failure) {
        guard Self.isReady, let handle = curl_easy_init() else { throw .unusable(reason: "it does not start") }
        self.handle = handle
        self.body = .allocate(capacity: max(body?.count ?? 0, 1))
        _ = self.body.initialize(from: body ?? [])
        for header in headers + ["Expect:"] { self.headers = curl_slist_append(self.headers, header) ?? self.headers }
        var codes = [
            ccurl_set_text(handle, CURLOPT_URL, url),
            ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http"),
            // Whatever the environment says of proxies is not about servers on this machine.
            ccurl_set_text(handle, CURLOPT_PROXY, ""),
            // An id may be "..", which is for the server to refuse.
            ccurl_set_number(handle, CURLOPT_PATH_AS_IS, 1),
            ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1),
            ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, self.headers),
            ccurl_set_sink(handle, Self.receive, Unmanaged.passUnretained(sink).toOpaque()),
        ]
        if method != "GET" { codes.append(ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, method)) }
        if method == "POST" || body != nil {
            codes.append(ccurl_set_number(handle, CURLOPT_POSTFIELDSIZE, body?.count ?? 0))
            codes.append(ccurl_set_pointer(handle, CURLOPT_POSTFIELDS, self.body.baseAddress))
        }
        if let socketPath { codes.append(ccurl_set_text(handle, CURLOPT_UNIX_SOCKET_PATH, socketPath)) }
        switch wait {
        case .total(let milliseconds): codes.append(ccurl_set_number(handle, CURLOPT_TIMEOUT_MS, milliseconds))
        case .silence(let seconds, let connecting):
            codes.append(ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, connecting))
            codes.append(ccurl_set_number(handle, CURLOPT_LOW_SPEED_LIMIT, 1))
            codes.append(ccurl_set_number(handle, CURLOPT_LOW_SPEED_TIME, seconds))
        }
        guard let wrong = codes.first(where: { $0 != CURLE_OK }) else { return }
        throw .unusable(reason: Self.text(wrong))
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(headers)
        body.deallocate()
    }

    private static let receive: curl_write_callback = { start, _, count, context in
        guard let start, let context else { return 0 }
        let sink = Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
        guard sink.take(UnsafeRawBufferPointer(start: start, count: count)) else {
            sink.wasRefused = true
            return 0
        }
        return count
    }

    /// The status, 0 before there is one.
    var status: Int {
        var code = 0
        _ = ccurl_get_number(handle, CURLINFO_RESPONSE_CODE, &code)
        return code
    }

    /// Makes the request and collects the answer.
    ///
    /// - Parameter limit: the most bytes that the answer may have.
    func answer(limit: Int) throws(Failure) -> [UInt8] {
        var answer: [UInt8] = []
        sink.take = { bytes in
            guard answer.count + bytes.count <= limit else { return false }
            answer.append(contentsOf: bytes)
            return true
        }
        defer { sink.take = { _ in true } }
        let code = curl_easy_perform(handle)
        if sink.wasRefused { throw .tooLarge }
        try check(code)
        return answer
    }

    /// Makes the request and hands on the answer as it comes, until it ends, `take` wants no more, `interrupt` can be read,
    /// or nobody reads `output` any more.
    ///
    /// - Parameter take: gets the bytes; `false` ends the transfer.
    /// - Returns: whether the answer ended by itself.
    func stream(
        interrupt: Int32, output: Int32, _ take: @escaping (UnsafeRawBufferPointer) -> Bool
    ) throws(Failure) -> Bool {
        sink.take = take
        defer { sink.take = { _ in true } }
        guard let multi = curl_multi_init() else { throw .unusable(reason: "it does not start") }
        defer { curl_multi_cleanup(multi) }
        guard curl_multi_add_handle(multi, handle) == CURLM_OK else { throw .unusable(reason: "it takes no request") }
        defer { curl_multi_remove_handle(multi, handle) }
        var running: Int32 = 1
        while true {
            guard curl_multi_perform(multi, &running) == CURLM_OK else { throw .unusable(reason: "it does not go on") }
            if sink.wasRefused { return false }
            if running == 0 { break }
            // No event of the output but that its reader has gone.
            var extra = [
                curl_waitfd(fd: interrupt, events: Int16(CURL_WAIT_POLLIN), revents: 0),
                curl_waitfd(fd: output, events: 0, revents: 0),
            ]
            // libcurl's own timers end the wait as well.
            guard curl_multi_poll(multi, &extra, UInt32(extra.count), 60_000, nil) == CURLM_OK else {
                throw .unusable(reason: "it does not wait")
            }
            // Which one woke us, libcurl does not say.
            var polled = [
                pollfd(fd: interrupt, events: Int16(POLLIN), revents: 0), pollfd(fd: output, events: 0, revents: 0),
            ]
            if poll(&polled, nfds_t(polled.count), 0) > 0 { return false }
        }
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            if message.pointee.msg == CURLMSG_DONE { try check(message.pointee.data.result) }
        }
        return true
    }

    private func check(_ code: CURLcode) throws(Failure) {
        switch code {
        case CURLE_OK: return
        case CURLE_OPERATION_TIMEDOUT: throw .timedOut
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST: throw .unreachable(reason: Self.text(code))
        default: throw .cut(reason: Self.text(code))
        }
    }

    private static func text(_ code: CURLcode) -> String {
        String(cString: curl_easy_strerror(code))
    }
}
