import AnySyncNet

/// Looks host names up on an event loop, within a time.
actor HostLookUp {
    private nonisolated let loop: EventLoop

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: EventLoop) {
        self.loop = loop
    }

    /// The IP addresses of a host, in the system's order of preference.
    func addresses(of host: String, timeout: Duration) async -> Result<[String], TransportError> {
        let result = await withCheckedContinuation { continuation in
            Resolver.resolve(host, port: 0, on: loop, timeout: timeout) { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let addresses): return .success(addresses.map(\.host))
        case .failure(.deadlineExceeded): return .failure(.deadlineExceeded(.resolving))
        case .failure(.failed(let code)): return .failure(.cannotResolve(host: host, reason: UVError.message(code)))
        }
    }
}
