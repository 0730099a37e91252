import AnySyncNet
import AnySyncWire
import Locks
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport
import Testing

/// The client against a stand-in node behind a real socket on loopback.
@Suite(.timeLimit(.minutes(5))) struct PushNodeClientTests {
    @Test(arguments: TestTransports.kinds)
    func everyCallSaysWhatTheProtocolAsks(kind: ConnectionKind) async throws {
        try await StandIn.run(kind) { node in
            let client = try await node.client()
            let keys = try SpacePushKeys(firstMetadataKey: SigningKey(), readKey: SymmetricKey())
            let topic = keys.sign("chats")
            try await client.setToken("token", platform: .android)
            try await client.revokeToken()
            try await client.createSpace(keys)
            try await client.removeSpace(keys)
            try await client.subscribe([topic])
            try await client.unsubscribe([topic])
            try await client.subscribeAll([])
            node.answer(with: TopicsMessage(topics: Topics([Topic(spaceKey: [1, 2], topic: "chats")])).encoded())
            let held = try await client.subscriptions()
            node.answer(with: [])
            #expect(held == [SubscribedTopic(spaceKey: [1, 2], name: "chats")])
            let request = NotifyRequest(topics: Topics([Topic(topic)]), message: nil, groupId: "g")
            try await client.send(OutgoingNotification(kind: .normal, request: request))
            try await client.send(OutgoingNotification(kind: .silent, request: request))

            let space = SpaceRequest(
                spaceKey: keys.spaceKey.publicKey.rawRepresentation,
                accountSignature: keys.spaceKey.signature(for: Array(node.account.publicKey.accountAddress.utf8))
            ).encoded()
            let topics = TopicsMessage(topics: Topics([Topic(topic)])).encoded()
            #expect(
                node.log == [
                    Call(.setToken, SetTokenRequest(platform: .android, token: "token").encoded()),
                    Call(.revokeToken, []), Call(.createSpace, space), Call(.removeSpace, space),
                    Call(.subscribe, topics), Call(.unsubscribe, topics),
                    // Present and empty: the reference node crashes on a request without the field.
                    Call(.subscribeAll, [0x0a, 0x00]),
                    Call(.subscriptions, []), Call(.notify, request.encoded()), Call(.notifySilent, request.encoded()),
                ])
            let status = await client.status
            #expect(status.succeeded == 10 && status.failed == 0 && status.connections == 1)
            #expect(node.callers.allSatisfy { $0 == node.account.publicKey })
            await client.close()
        }
    }

    @Test(arguments: [
        (RPCError(code: 1200, text: ""), PushNodeError.refused(.unexpected)),
        (RPCError(code: 1201, text: ""), .refused(.invalidSignature)),
        (RPCError(code: 1202, text: ""), .refused(.invalidTopicSignature)),
        (RPCError(code: 1203, text: ""), .refused(.spaceExists)),
        (RPCError(code: 1204, text: ""), .refused(.noValidTopics)),
        (RPCError(code: 0, text: "unknown rpc"), .failed(code: 0, text: "unknown rpc")),
        (RPCError(code: 7777, text: "novel"), .failed(code: 7777, text: "novel")),
    ])
    func errorCodesAreTyped(error: RPCError, expected: PushNodeError) async throws {
        try await StandIn.run { node in
            let client = try await node.client()
            node.fail(with: error)
            await #expect(throws: expected) { try await client.subscribeAll([]) }
            #expect(await client.status.lastError == expected)
            await client.close()
        }
    }

    @Test func aNodeThatDoesNotTellOutcomesIsNoFault() async throws {
        try await StandIn.run { node in
            let client = try await node.client()
            // As the reference refuses what it does not know.
            node.fail(with: RPCError(code: 0, text: "protocol error: unknown rpc: \"/anypush.Push/Outcomes\""))
            #expect(try await client.outcomes() == nil)
            let status = await client.status
            #expect(status.lastError == nil && status.failed == 0)
            node.fail(with: RPCError(code: 1200, text: "too many"))
            await #expect(throws: PushNodeError.refused(.unexpected)) { try await client.outcomes() }
            await client.close()
        }
    }

    @Test func aSpaceThatExistsIsFine() async throws {
        try await StandIn.run { node in
            let client = try await node.client()
            node.fail(with: RPCError(code: 1203, text: "exists"))
            let keys = try SpacePushKeys(firstMetadataKey: SigningKey(), readKey: SymmetricKey())
            try await client.createSpace(keys)
            await client.close()
        }
    }

    @Test func anAnswerThatIsNoMessageIsSaidSo() async throws {
        try await StandIn.run { node in
            let client = try await node.client()
            node.answer(with: [0xff])
            await #expect(throws: PushNodeError.malformedAnswer) { try await client.subscriptions() }
            await client.close()
        }
    }

    @Test(arguments: TestTransports.kinds)
    func parallelCallsShareOneConnection(kind: ConnectionKind) async throws {
        try await StandIn.run(kind) { node in
            let client = try await node.client()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<200 { group.addTask { try await client.subscribeAll([]) } }
                try await group.waitForAll()
            }
            let status = await client.status
            #expect(status.connections == 1 && status.succeeded == 200)
            #expect(node.log.count == 200)
            await client.close()
        }
    }

    @Test(arguments: TestTransports.kinds)
    func aLostConnectionIsMadeAgain(kind: ConnectionKind) async throws {
        try await StandIn.run(kind) { node in
            let client = try await node.client()
            try await client.subscribeAll([])
            await node.dropConnections()
            await eventually { if case .connected = await client.status.state { false } else { true } }
            try await client.subscribeAll([])
            #expect(await client.status.connections == 2)
            await client.close()
        }
    }

    @Test(arguments: TestTransports.kinds)
    func aPathThatIsNotEncryptedIsSaidOnce(kind: ConnectionKind) async throws {
        try await StandIn.run(kind) { node in
            let events = SystemLock<[PushEvent]>([])
            let client = try await node.client { event in events.withLock { $0.append(event) } }
            #expect(await client.status.warning == nil)
            var path: PushNodePath?
            for _ in 0..<2 {
                try await client.subscribeAll([])
                if case .connected(let now) = await client.status.state { path = now }
                #expect(path?.kind == kind && path?.version == 13)
                #expect(await client.status.warning == path?.warning)
                await node.dropConnections()
                await eventually { if case .connected = await client.status.state { false } else { true } }
            }
            let said = events.withLock { $0 }
            #expect(said.count == (kind == .yamux ? 1 : 0))
            #expect(said.allSatisfy { "\($0)".contains("yamux://127.0.0.1:") })
            await client.close()
        }
    }

    @Test func anEncryptedKindIsLookedForBesideOneThatIsNot() async throws {
        try await StandIn.run(.yamux) { node in
            let clock = VirtualClock()
            let path = OpenPath()
            let client = try await node.client(clock: clock, through: path)
            try await client.subscribeAll([])
            guard case .connected(let first) = await client.status.state else { return #expect(Bool(false)) }
            #expect(first.kind == .yamux)
            let waits = PushNodeClient.Limits().encryptionSearch
            await clock.sleepers(1)
            clock.advance(by: waits.initial)
            await eventually { path.searches == 1 }
            #expect(await client.status.connections == 1, "the path still resets what is encrypted")
            path.isOpen = false
            await clock.sleepers(1)
            clock.advance(by: waits.initial * 2)
            await eventually { await client.status.connections == 2 }
            guard case .connected(let second) = await client.status.state else { return #expect(Bool(false)) }
            #expect(second.kind == .tlsYamux)
            try await client.subscribeAll([])
            await client.close()
            #expect(clock.sleeperCount == 0)
        }
    }

    @Test func aNodeThatIsAwayIsLeftInPeaceForGrowingPauses() async throws {
        let clock = VirtualClock()
        let dialer = AbsentNode()
        let client = PushNodeClient(
            account: SigningKey(), node: dialer.location, dialer: dialer, clock: clock
        )
        let away = PushNodeError.unreachable(reason: "away")
        for attempt in 1...4 {
            await #expect(throws: away) { try await client.revokeToken() }
            #expect(dialer.attempts == attempt)
            await #expect(throws: away, "no attempt during the pause") { try await client.revokeToken() }
            #expect(dialer.attempts == attempt)
            await clock.sleepers(1)
            clock.advance(by: PushNodeClient.Limits().firstPause * (1 << (attempt - 1)))
            await eventually { if case .pausing = await client.status.state { false } else { true } }
        }
        await client.close()
        #expect(clock.sleeperCount == 0)
    }

    @Test func aCallEndsAtItsDeadlineAndTheNextOneMayStillConnect() async throws {
        let clock = VirtualClock()
        let dialer = SilentNode()
        let client = PushNodeClient(account: SigningKey(), node: dialer.location, dialer: dialer, clock: clock)
        let first = Task { try await client.revokeToken() }
        await clock.sleepers(1)
        clock.advance(by: PushNodeClient.Limits().callTimeout)
        await #expect(throws: PushNodeError.deadlineExceeded) { try await first.value }
        #expect(await client.status.state == .connecting)
        await client.close()
        await #expect(throws: PushNodeError.cancelled) { try await client.revokeToken() }
    }

    @Test func whoWaitsNoLongerLearnsWhatTheDialHasComeToAndTheStatusTheRest() async throws {
        let clock = VirtualClock()
        let dialer = SlowNode()
        let client = PushNodeClient(account: SigningKey(), node: dialer.location, dialer: dialer, clock: clock)
        let first = Task { try await client.revokeToken() }
        await clock.sleepers(1)
        clock.advance(by: PushNodeClient.Limits().callTimeout)
        await #expect(
            throws: PushNodeError.unreachable(reason: "no connection within 10 s: a: refused; b: no answer yet")
        ) {
            try await first.value
        }
        // The dial goes on, and its whole account is kept.
        let whole = PushNodeError.unreachable(
            reason: "a: refused; b: refused (ours: version 14; the peer's: version 8)", retryAfter: .seconds(30))
        dialer.end(with: whole)
        await eventually { await client.status.lastError == whole }
        await eventually { if case .pausing = await client.status.state { true } else { false } }
        clock.advance(by: .seconds(3))
        #expect(await client.status.state == .pausing(reason: "\(whole)", nextTry: .seconds(27)))
        await client.close()
    }

    @Test func whatEachOfManyAddressesDidReachesTheLogWhole() {
        let failure = TransportError.cannotConnect(address: "203.0.113.1:4430", reason: "no route to host")
        let account = (0..<10).map { "tls+yamux://a-push-node-with-a-long-name-\($0).example:4430: \(failure)" }
        let error = PushNodeError.unreachable(reason: account.joined(separator: "; "))
        #expect("\(error)".count > 1000)
        for event in [PushEvent.tokenNotForwarded(error), .tokenNotRevoked(error), .roundFailed(.node(error))] {
            #expect("\(event)".hasSuffix("\(error)"))
        }
    }

    @Test func aCancelledCallReturnsAtOnce() async throws {
        let dialer = SilentNode()
        let client = PushNodeClient(account: SigningKey(), node: dialer.location, dialer: dialer, clock: VirtualClock())
        let call = Task { try await client.revokeToken() }
        await eventually { await client.status.state == .connecting }
        call.cancel()
        await #expect(throws: PushNodeError.cancelled) { try await call.value }
        await client.close()
    }
}

private struct Call: Hashable, Sendable {
    let rpc: String
    let request: [UInt8]

    init(_ rpc: PushRPC, _ request: [UInt8]) {
        self.rpc = rpc.rawValue
        self.request = request
    }

    init(rpc: String, request: [UInt8]) {
        self.rpc = rpc
        self.request = request
    }
}

/// A node that notes its calls and answers as told.
private final class StandIn: RPCHandler {
    private struct State {
        var log: [Call] = []
        var callers: [PublicKey] = []
        var answer: Result<[UInt8], RPCError> = .success([])
    }

    private let state = SystemLock(State())
    private let loop: EventLoop
    private let nodeEndpoint: Endpoint
    private let clientEndpoint: Endpoint
    let account = SigningKey()
    private let addresses = SystemLock<[Address]>([])

    private init() throws {
        loop = try EventLoop()
        nodeEndpoint = try Endpoint(
            eventLoop: loop, identity: LocalIdentity(account: SigningKey(), peer: SigningKey(), clientVersion: "node")
        )
        clientEndpoint = try Endpoint(
            eventLoop: loop, identity: LocalIdentity(account: account, peer: SigningKey(), clientVersion: "client")
        )
    }

    static func run(
        _ kind: ConnectionKind = .tlsYamux, _ body: (StandIn) async throws -> Void
    ) async throws {
        let node = try StandIn()
        let transport = try #require(try TestTransports.make(node.nodeEndpoint).first { $0.kinds.contains(kind) })
        let listener = try await transport.listen(on: Address(kind: kind, host: "127.0.0.1", port: 0))
        node.addresses.withLock { $0 = listener.addresses }
        let server = DRPCServer(handler: node)
        let serving = Task { await server.serve(listener) }
        var failure: (any Error)?
        do { try await body(node) } catch { failure = error }
        await server.shutdown(drain: .seconds(1))
        await serving.value
        await node.loop.shutdown()
        if let failure { throw failure }
    }

    /// A client on a virtual clock whose dials go through a path.
    func client(clock: VirtualClock, through path: OpenPath) async throws -> PushNodeClient {
        let location = PushNodeLocation(
            peerId: nodeEndpoint.identity.peerId,
            addresses: addresses.withLock { $0.map { Address(kind: nil, host: $0.host, port: $0.port) } })
        path.dialer.withLock { $0 = Dialer(clientEndpoint, transports: [TCPTransport(clientEndpoint)]) }
        return PushNodeClient(account: account, node: location, dialer: path, clock: clock)
    }

    func client(onEvent: @escaping PushEventHandler = { _ in }) async throws -> PushNodeClient {
        let location = PushNodeLocation(
            peerId: nodeEndpoint.identity.peerId, addresses: addresses.withLock { $0 }
        )
        let dialer = Dialer(clientEndpoint, transports: try TestTransports.make(clientEndpoint))
        // Far more than a call takes, also on a machine that runs many things under a sanitizer.
        var limits = PushNodeClient.Limits()
        limits.callTimeout = .seconds(300)
        return PushNodeClient(account: account, node: location, dialer: dialer, limits: limits, onEvent: onEvent)
    }

    var log: [Call] { state.withLock { $0.log } }
    var callers: [PublicKey] { state.withLock { $0.callers } }
    func answer(with bytes: [UInt8]) { state.withLock { $0.answer = .success(bytes) } }
    func fail(with error: RPCError) { state.withLock { $0.answer = .failure(error) } }
    func dropConnections() async { nodeEndpoint.closeConnections() }

    func handle(_ rpc: String, request: [UInt8], caller: CallerContext) async throws -> [UInt8] {
        try state.withLock { state in
            state.log.append(Call(rpc: rpc, request: request))
            state.callers.append(caller.identity)
            return try state.answer.get()
        }
    }
}

/// A path on which, while it is open, only what can be read gets through.
private final class OpenPath: PushNodeDialer {
    let dialer = SystemLock<Dialer?>(nil)
    private let state = SystemLock((isOpen: true, searches: 0))

    var isOpen: Bool {
        get { state.withLock { $0.isOpen } }
        set { state.withLock { $0.isOpen = newValue } }
    }
    var searches: Int { state.withLock { $0.searches } }

    func dial(_ node: PushNodeLocation, onlyEncrypted: Bool) async throws(PushNodeError) -> any Connection {
        if onlyEncrypted { state.withLock { $0.searches += 1 } }
        guard let dialer = dialer.withLock({ $0 }), !onlyEncrypted || !isOpen else {
            throw .unreachable(reason: "reset")
        }
        let addresses = isOpen ? node.addresses.map { $0.with(kind: .yamux) } : node.addresses
        return try await dialer.dial(
            PushNodeLocation(peerId: node.peerId, addresses: addresses), onlyEncrypted: onlyEncrypted)
    }
}

private final class AbsentNode: PushNodeDialer {
    private let count = SystemLock(0)
    let location = PushNodeLocation(peerId: PeerId(publicKey: SigningKey().publicKey), addresses: [])
    var attempts: Int { count.withLock { $0 } }

    func dial(_ node: PushNodeLocation, onlyEncrypted: Bool) async throws(PushNodeError) -> any Connection {
        count.withLock { $0 += 1 }
        throw .unreachable(reason: "away")
    }
}

/// A node whose dial takes until a test ends it.
private final class SlowNode: PushNodeDialer {
    let location = PushNodeLocation(peerId: PeerId(publicKey: SigningKey().publicKey), addresses: [])
    private let ending = AsyncStream<PushNodeError>.makeStream()

    func end(with error: PushNodeError) { ending.continuation.yield(error) }

    func dial(_ node: PushNodeLocation, onlyEncrypted: Bool) async throws(PushNodeError) -> any Connection {
        for await error in ending.stream { throw error }
        throw .cancelled
    }

    func progress(with node: PushNodeLocation) async -> String? { "a: refused; b: no answer yet" }
}

private final class SilentNode: PushNodeDialer {
    let location = PushNodeLocation(peerId: PeerId(publicKey: SigningKey().publicKey), addresses: [])

    func dial(_ node: PushNodeLocation, onlyEncrypted: Bool) async throws(PushNodeError) -> any Connection {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        for await _ in stream {}
        continuation.finish()
        throw .cancelled
    }
}
