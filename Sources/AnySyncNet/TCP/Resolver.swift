internal import CUV
internal import Glibc

/// One look-up of a host name. Used on the loop's thread only.
///
/// The system's resolver cannot be interrupted: after a deadline its late answer is ignored, and a loop that shuts down
/// waits for it.
package final class Resolver: LoopHandle {
    private let loop: EventLoop
    private let request: UnsafeMutablePointer<uv_getaddrinfo_t>
    private let port: UInt16
    private var completion: ((Result<[SocketAddress], Failure>) -> Void)?
    private var timer: LoopTimer?

    package enum Failure: Error {
        case failed(code: Int32)
        case deadlineExceeded
    }

    /// Looks `host` up; an IP address is answered at once.
    ///
    /// - Parameter completion: gets the addresses in the system's order of preference, once.
    package static func resolve(
        _ host: String, port: UInt16, on loop: EventLoop, timeout: Duration,
        _ completion: @escaping (Result<[SocketAddress], Failure>) -> Void
    ) {
        guard !loop.isStopping else { return completion(.failure(.failed(code: UV_ECANCELED.rawValue))) }
        if let address = SocketAddress(ip: host, port: port) {
            return completion(.success([address]))
        }
        let resolver = Resolver(on: loop, port: port, completion)
        resolver.start(host, timeout)
    }

    private init(
        on loop: EventLoop, port: UInt16, _ completion: @escaping (Result<[SocketAddress], Failure>) -> Void
    ) {
        self.loop = loop
        self.port = port
        self.completion = completion
        request = .allocate(capacity: 1)
    }

    deinit {
        request.deallocate()
    }

    private func start(_ host: String, _ timeout: Duration) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        request.pointee.data = Unmanaged.passRetained(self).toOpaque()
        loop.add(self)
        let status = uv_getaddrinfo(
            loop.uv.loop, request,
            { request, status, list in
                guard let data = request?.pointee.data else { return }
                Unmanaged<Resolver>.fromOpaque(data).takeRetainedValue().answered(status, list)
            }, host, nil, &hints)
        guard status == 0 else {
            return Unmanaged.passUnretained(self).takeRetainedValue().answered(status, nil)
        }
        timer = loop.schedule(after: timeout) { [weak self] in
            self?.giveUp(.deadlineExceeded)
        }
    }

    private func answered(_ status: Int32, _ list: UnsafeMutablePointer<addrinfo>?) {
        loop.remove(self)
        timer?.cancel()
        var addresses: [SocketAddress] = []
        var entry = list
        while let current = entry {
            if let address = SocketAddress(copying: current.pointee.ai_addr) {
                addresses.append(address.with(port: port))
            }
            entry = current.pointee.ai_next
        }
        uv_freeaddrinfo(list)
        guard status == 0, !addresses.isEmpty else {
            return complete(.failure(.failed(code: status == 0 ? UV_EAI_NODATA.rawValue : status)))
        }
        complete(.success(addresses))
    }

    private func giveUp(_ failure: Failure) {
        uv_cancel(cuv_getaddrinfo_request(request))
        complete(.failure(failure))
    }

    private func complete(_ result: Result<[SocketAddress], Failure>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    package func loopIsStopping() {
        timer?.cancel()
        giveUp(.failed(code: UV_ECANCELED.rawValue))
    }
}
