package import AnySyncWire

/// What a listener does with a single datagram of a stranger, without sockets or rates; for fuzzers and tests.
package enum FirstContact {
    /// What the datagram was taken for.
    package enum Kind: Hashable, Sendable {
        case ignored, otherVersion, unknownConnection, badToken, needsProof, connection
    }

    /// Takes a datagram in.
    ///
    /// - Returns: what it was taken for, and all that is sent to whoever sent it.
    package static func answer(_ datagram: [UInt8], now: MonotonicTime) -> (kind: Kind, datagrams: [[UInt8]]) {
        guard let identity = RehearsalIdentity.listener, let path = RehearsalIdentity.path(from: 2, to: 1) else {
            return (.ignored, [])
        }
        return datagram.withUnsafeBytes { bytes in
            switch Datagram(bytes) {
            case .other: return (.ignored, [])
            case .otherVersion: return (.otherVersion, written { Datagram.versionNegotiation(for: bytes, into: $0) })
            case .short(_, let reset): return (.unknownConnection, written { reset.write(identity.context, into: $0) })
            case .long: return judge(bytes, path, identity, now)
            }
        }
    }

    /// The datagrams with which an honest dialer begins; seeds.
    package static func honest(now: MonotonicTime) -> [[UInt8]] {
        guard let dialer = RehearsalIdentity.dialer, let listener = RehearsalIdentity.listener,
            let path = RehearsalIdentity.path(from: 1, to: 2)
        else { return [] }
        return QUICSession.dialer(
            to: listener.peer, on: path, dialer.context, RehearsalIdentity.settings, now: now,
            unixTime: { RehearsalIdentity.unixTime })?.output(now: now) ?? []
    }

    private static func judge(
        _ bytes: UnsafeRawBufferPointer, _ path: DatagramPath, _ identity: RehearsalIdentity, _ now: MonotonicTime
    ) -> (Kind, [[UInt8]]) {
        switch FirstPacket.judge(bytes, on: path, identity.context, now: now) {
        case .no: return (.ignored, [])
        case .badToken(let packet): return (.badToken, written { packet.invalidToken(into: $0) })
        case .afterRetry(let packet):
            return (.needsProof, written { packet.retry(on: path, identity.context, now: now, into: $0) })
        case .yes(let packet):
            let made = QUICSession.listener(
                for: packet, on: path, identity.context, RehearsalIdentity.settings, now: now,
                unixTime: { RehearsalIdentity.unixTime })
            guard let (session, _) = made else { return (.ignored, []) }
            switch session.receive(bytes, on: path, now: now) {
            case nil: return (.connection, session.output(now: now))
            case .needsRetry:
                return (.needsProof, written { packet.retry(on: path, identity.context, now: now, into: $0) })
            case .failed:
                var path = path
                return (.ignored, written { session.close(code: CloseCode.orderly, into: $0, &path, now: now) ?? 0 })
            default: return (.ignored, [])
            }
        }
    }

    private static func written(_ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) -> [[UInt8]] {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DatagramSize.largest) { buffer in
            let size = write(buffer)
            return size == 0 ? [] : [Array(buffer[..<size])]
        }
    }
}
