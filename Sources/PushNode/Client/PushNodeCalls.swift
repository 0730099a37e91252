public import ProtoWire
public import PushAPI
public import PushCrypto

/// The calls of a push node as an account makes them: ``PushNodeClient``, or a stand-in of a test.
///
/// Every call throws ``PushNodeError``, within the client's deadline for one call.
public protocol PushNodeCalls: NotificationSender {
    /// Connects to the node, if need be.
    ///
    /// - Returns: the connection's number, which grows with each one: what the node confirmed over an earlier connection
    ///   it may have lost since. A stand-in that knows no connections answers 0.
    func connect() async throws(PushNodeError) -> UInt64

    /// Registers this device's token in the place of its earlier one.
    ///
    /// - Parameters:
    ///   - token: the provider's token for the app.
    ///   - platform: the phone's kind.
    func setToken(_ token: String, platform: Platform) async throws(PushNodeError)

    /// Forgets this device's token.
    func revokeToken() async throws(PushNodeError)

    /// Registers a space; one that is registered already is fine.
    func createSpace(_ keys: SpacePushKeys) async throws(PushNodeError)

    /// Forgets a space.
    func removeSpace(_ keys: SpacePushKeys) async throws(PushNodeError)

    /// The topics that the node holds for the account.
    func subscriptions() async throws(PushNodeError) -> [SubscribedTopic]

    /// Replaces the account's topics by these: the same as ``subscribeAll(_:)``, as the reference node takes it.
    func subscribe(_ topics: [SignedTopic]) async throws(PushNodeError)

    /// Takes these topics from the account's.
    func unsubscribe(_ topics: [SignedTopic]) async throws(PushNodeError)

    /// Replaces the account's topics by these.
    func subscribeAll(_ topics: [SignedTopic]) async throws(PushNodeError)

    /// What became of the last notifications to this device; `nil` when the node does not tell, as the reference.
    func outcomes() async throws(PushNodeError) -> PushOutcomes?

    /// Replaces the account's topics by these and others that it holds, whose keys this device does not have: they travel
    /// with the word ``Topic/held`` for a signature.
    ///
    /// - Throws: ``PushErrorCode/invalidTopicSignature`` when the node does not hold one of them, or does not know the
    ///   word, as the reference; nothing has changed then.
    func subscribeAll(_ topics: [SignedTopic], keeping others: [SubscribedTopic]) async throws(PushNodeError)
}

extension PushNodeCalls {
    public func outcomes() async throws(PushNodeError) -> PushOutcomes? { nil }

    public func connect() async throws(PushNodeError) -> UInt64 { 0 }

    public func subscribeAll(
        _ topics: [SignedTopic], keeping others: [SubscribedTopic]
    ) async throws(PushNodeError) {
        guard others.isEmpty else { throw .refused(.invalidTopicSignature) }
        try await subscribeAll(topics)
    }
}

/// A topic that a node holds for an account.
public struct SubscribedTopic: Hashable, Sendable {
    /// The public half of the space push key, 32 bytes from a well-behaved node.
    public let spaceKey: [UInt8]
    /// The topic's name.
    public let name: WireString

    /// A topic; see the properties.
    public init(spaceKey: [UInt8], name: WireString) {
        self.spaceKey = spaceKey
        self.name = name
    }
}
