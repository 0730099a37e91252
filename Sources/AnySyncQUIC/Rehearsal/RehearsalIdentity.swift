internal import AnySyncNet
internal import AnySyncWire
internal import PushCrypto

/// Who takes part in a rehearsal: sessions and answers without sockets or clocks, for fuzzers and tests.
struct RehearsalIdentity: Sendable {
    let peer: PeerId
    let context: QUICContext

    /// The time of every rehearsal's certificates, in seconds since 1970.
    static let unixTime: Int64 = 1_800_000_000

    init?() {
        let key = SigningKey()
        guard let certificate = try? HostCertificate(peerKey: key, now: Self.unixTime),
            let context = try? QUICContext(certificate: certificate, peerKey: key)
        else { return nil }
        peer = PeerId(publicKey: key.publicKey)
        self.context = context
    }

    /// Made once, since keys cost more than what is rehearsed.
    static let dialer = RehearsalIdentity()
    static let listener = RehearsalIdentity()

    /// The path from one place to another.
    static func path(from local: UInt16, to remote: UInt16) -> DatagramPath? {
        guard let local = SocketAddress(ip: "127.0.0.1", port: local),
            let remote = SocketAddress(ip: "127.0.0.1", port: remote)
        else { return nil }
        return DatagramPath(local: local, remote: remote)
    }

    static let settings = QUICSettings(NetLimits(), QUICLimits())
}

extension QUICSession {
    /// All datagrams that the session has to send now.
    func output(now: MonotonicTime) -> [[UInt8]] {
        var datagrams: [[UInt8]] = []
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DatagramSize.largest) { buffer in
            var path = DatagramPath()
            while case .datagram(let size) = nextDatagram(into: buffer, &path, now: now) {
                datagrams.append(Array(buffer[..<size]))
            }
        }
        paced(now: now)
        return datagrams
    }
}
