import AnySyncWire
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// A transport whose dials go as a test says: each waits until its path and then its credentials are decided.
final class ScriptedTransport: Transport {
    enum Stage: Hashable {
        case path, credentials
    }

    private struct Key: Hashable {
        let address: Address
        let stage: Stage
    }

    private typealias Verdict = Result<Void, TransportError>

    private struct State {
        var started: [Address] = []
        var running: [Address] = []
        var versions: [UInt32] = []
        var connections: [ScriptedConnection] = []
        var verdicts: [Key: Verdict] = [:]
        var waiting: [Key: CheckedContinuation<Verdict, Never>] = [:]
    }

    let kinds: Set<ConnectionKind> = [.yamux, .tlsYamux, .quic]
    private let loop: EventLoop
    private let state = SystemLock(State())

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// The addresses dialled so far, in order.
    var started: [Address] { state.withLock { $0.started } }
    /// The addresses being dialled now.
    var running: [Address] { state.withLock { $0.running } }
    /// The versions said so far.
    var versions: [UInt32] { state.withLock { $0.versions } }
    /// The connections made so far.
    var connections: [ScriptedConnection] { state.withLock { $0.connections } }

    /// Waits until so many dials have begun.
    func dials(_ count: Int) async {
        await eventually { started.count >= count }
    }

    /// Lets a stage of an address succeed or fail, now and whenever it comes up again.
    func decide(_ address: Address, _ stage: Stage = .path, _ error: TransportError? = nil) {
        let verdict: Verdict = error.map { .failure($0) } ?? .success(())
        let waiting = state.withLock { state in
            state.verdicts[Key(address: address, stage: stage)] = verdict
            return state.waiting.removeValue(forKey: Key(address: address, stage: stage))
        }
        waiting?.resume(returning: verdict)
    }

    /// Refuses the credentials of whichever of the addresses shows them, once.
    func refuseCredentials(of addresses: [Address], _ error: TransportError) async {
        await eventually {
            let shown: CheckedContinuation<Verdict, Never>? = state.withLock { state in
                for address in addresses {
                    let key = Key(address: address, stage: .credentials)
                    if let waiting = state.waiting.removeValue(forKey: key) { return waiting }
                }
                return nil
            }
            shown?.resume(returning: .failure(error))
            return shown != nil
        }
    }

    /// Lets an address come through.
    func open(_ address: Address) {
        decide(address, .credentials)
        decide(address)
    }

    /// Leaves an address undecided again.
    func forget(_ address: Address) {
        state.withLock { state in
            for stage in [Stage.path, .credentials] { state.verdicts[Key(address: address, stage: stage)] = nil }
        }
    }

    func dial(_ address: Address, peer: PeerId, turn: DialTurn) async throws(TransportError) -> any Connection {
        state.withLock { state in
            state.started.append(address)
            state.running.append(address)
        }
        defer { state.withLock { $0.running.removeAll { $0 == address } } }
        try await verdict(Key(address: address, stage: .path)).get()
        let version = try await turn.begin()
        state.withLock { $0.versions.append(version) }
        try await verdict(Key(address: address, stage: .credentials)).get()
        let connection = ScriptedConnection(address, peer, version, loop)
        state.withLock { $0.connections.append(connection) }
        return connection
    }

    func listen(on address: Address) async throws(TransportError) -> any Listener {
        throw .notSupported(address.kind ?? .yamux)
    }

    private func verdict(_ key: Key) async -> Verdict {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let verdict: Verdict? = state.withLock { state in
                    if Task.isCancelled { return .failure(.cancelled) }
                    if let verdict = state.verdicts[key] { return verdict }
                    state.waiting[key] = continuation
                    return nil
                }
                if let verdict { continuation.resume(returning: verdict) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: key) }?.resume(returning: .failure(.cancelled))
        }
    }
}

/// A connection without a peer.
final class ScriptedConnection: Connection {
    let remotePeerId: PeerId
    let remoteIdentity = SigningKey().publicKey
    let version: UInt32
    let remoteClientVersion = "scripted"
    let remoteAddress: String
    let kind: ConnectionKind
    let eventLoop: EventLoop
    private let closed = SystemLock<CloseReason?>(nil)

    init(_ address: Address, _ peer: PeerId, _ version: UInt32, _ loop: EventLoop) {
        remotePeerId = peer
        self.version = version
        remoteAddress = address.hostAndPort
        kind = address.kind ?? .yamux
        eventLoop = loop
    }

    func openStream() async throws(TransportError) -> any ByteStream { throw .tooManyStreams }
    func nextStream() async -> (any ByteStream)? { nil }
    func close(_ reason: CloseReason) async { closed.withLock { $0 = reason } }
    func waitUntilClosed() async -> CloseReason? { closed.withLock { $0 } }

    var status: ConnectionStatus {
        ConnectionStatus(
            openStreams: 0, bytesReceived: 0, bytesSent: 0, queuedBytes: 0, age: .zero,
            closed: closed.withLock { $0 })
    }
}
