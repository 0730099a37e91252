internal import AnySyncNet
internal import CQUIC
internal import PushCrypto

// What the library calls while it works.
extension QUICSession {
    static let callbacks = cquic_callbacks(
        verify: { user, certificates, counts, count in
            guard let user, let certificates, let counts else { return -1 }
            let chain = (0..<count).map { Array(UnsafeBufferPointer(start: certificates[$0], count: counts[$0])) }
            return QUICSession.of(user).judge(chain) ? 0 : -1
        },
        handshake_completed: { QUICSession.add(.handshakeCompleted, to: $0) },
        stream_opened: { QUICSession.add(.streamOpened($1), to: $0) },
        stream_data: { user, id, bytes, count, isLast in
            let data = Array(UnsafeBufferPointer(start: bytes, count: count))
            if let user { QUICSession.of(user).receivedCount += UInt64(count) }
            QUICSession.add(.data(id, data, isLast: isLast != 0), to: user)
        },
        stream_acknowledged: { user, id, end in
            guard let user else { return }
            QUICSession.of(user).queues[id]?.acknowledge(upTo: end)
        },
        stream_writable: { _, _ in },
        stream_reset: { QUICSession.add(.streamReset($1, code: $2), to: $0) },
        stream_closed: { user, id in
            guard let user else { return }
            QUICSession.of(user).closed(id)
        },
        id_added: { user, id in
            guard let id else { return }
            QUICSession.add(.idAdded(ConnectionId(id.pointee)), to: user)
        },
        id_removed: { user, id in
            guard let id else { return }
            QUICSession.add(.idRemoved(ConnectionId(id.pointee)), to: user)
        })

    private static func of(_ user: UnsafeMutableRawPointer) -> QUICSession {
        Unmanaged<QUICSession>.fromOpaque(user).takeUnretainedValue()
    }

    private static func add(_ event: QUICEvent, to user: UnsafeMutableRawPointer?) {
        guard let user else { return }
        of(user).events.append(event)
    }

    private func closed(_ id: Int64) {
        queues[id] = nil
        isReady.remove(id)
        parked.remove(id)
        events.append(.streamClosed(id))
    }

    /// Judges the peer's chain during the handshake, so that a refusal reaches the peer as an alert.
    private func judge(_ chain: [[UInt8]]) -> Bool {
        do throws(CertificateError) {
            let found = try CertificateVerifier.verify(chain, now: unixTime())
            if case .dialer(let expected) = role, expected != found {
                refusal = .wrongPeer(expected: expected, found: found)
                return false
            }
            peer = found
            return true
        } catch {
            refusal = .certificate(error)
            return false
        }
    }
}
