import Glibc

/// A listening socket that answers nobody: its queue is full, so the kernel drops further connections.
struct FullListener {
    private let sockets: [Int32]

    init(host: String, port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw TestFailure("no IP address: \(host)") }
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let isListening =
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listening, $0, length) }
            } == 0 && listen(listening, 0) == 0
        guard isListening else { throw TestFailure("cannot listen on \(host):\(port): error \(errno)") }
        // A queue of length 0 holds one.
        let waiting = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let isFull =
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(waiting, $0, length) }
            } == 0
        guard isFull else { throw TestFailure("cannot connect to \(host):\(port): error \(errno)") }
        sockets = [listening, waiting]
    }

    func close() {
        for socket in sockets { Glibc.close(socket) }
    }
}
