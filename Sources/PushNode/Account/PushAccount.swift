import AnySyncNet
import Locks
import PushAPI
public import PushCrypto

/// Push for one account: the connection to the node, the notifications for what the account writes, the device's token,
/// and the topics, which are kept in step with the user's settings.
///
/// ```swift
/// let push = PushAccount(PushOptions(account: account, device: device, node: node), directory: spaces, tokens: file)
/// try await push.start()
/// push.messageSent(message)
/// await push.stop(grace: .seconds(5))
/// ```
///
/// It may be started and stopped any number of times; a stop leaves no thread, socket or task. While push is off or
/// stopped, what happens in chats is passed over, and operations that need the node say so.
public final class PushAccount: Sendable {
    /// Who the account is and what it is granted.
    public let options: PushOptions
    let directory: any SpaceDirectory
    private let persistence: any DeviceTokenPersistence
    private let outbox: (any NotificationOutbox)?
    private let clock: any Clock<Duration>
    private let onEvent: PushEventHandler
    private let lifecycle = SerialWork()
    private let running = SystemLock<PushRuntime?>(nil)

    /// An account that does nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - options: who the account is, and its node.
    ///   - directory: the account's spaces.
    ///   - tokens: keeps the device's token over restarts.
    ///   - outbox: keeps notifications over restarts; a host with one composes them by itself and tells so by
    ///     ``noted(_:in:)``. Without one they are in memory only.
    ///   - clock: measures all times.
    ///   - onEvent: gets what an operator should see.
    public init(
        _ options: PushOptions, directory: any SpaceDirectory, tokens: any DeviceTokenPersistence,
        outbox: (any NotificationOutbox)? = nil,
        clock: any Clock<Duration> = .continuous, onEvent: @escaping PushEventHandler = { _ in }
    ) {
        self.options = options
        self.directory = directory
        persistence = tokens
        self.outbox = outbox
        self.clock = clock
        self.onEvent = onEvent
    }

    // MARK: Life

    /// Begins to work: the node is called soon, in the background. Does nothing when push is off or runs already.
    ///
    /// - Throws: ``PushAccountError/cannotStart(reason:)``; nothing runs then.
    public func start() async throws(PushAccountError) {
        let result = await lifecycle.run { await self.begin() }
        try result.get()
    }

    /// Ends everything and returns when nothing runs anymore. Does nothing when nothing runs.
    ///
    /// A host name that is being looked up can not be interrupted: the return waits for the system's resolver then.
    ///
    /// - Parameter grace: the time for what was written already to be sent.
    public func stop(grace: Duration = .zero) async {
        await lifecycle.run { await self.end(grace: grace) }
    }

    private func begin() async -> Result<Void, PushAccountError> {
        guard options.disabledReason == nil, runtime == nil, let node = options.node else { return .success(()) }
        let network: PushNetwork
        do throws(PushAccountError) { network = try await PushNetwork.start(options, onEvent: onEvent) } catch {
            return .failure(error)
        }
        let runtime = PushRuntime(
            options, node: node, network: network, directory: directory, tokens: persistence, outbox: outbox,
            clock: clock, onEvent: onEvent
        )
        await runtime.start(directory.changes())
        running.withLock { $0 = runtime }
        return .success(())
    }

    private func end(grace: Duration) async {
        guard let runtime else { return }
        await runtime.stop(grace: grace)
        running.withLock { $0 = nil }
    }

    /// What runs now.
    var runtime: PushRuntime? { running.withLock { $0 } }

    func started() throws(PushAccountError) -> PushRuntime {
        if let reason = options.disabledReason { throw .disabled(reason) }
        guard let runtime else { throw .notRunning }
        return runtime
    }

    // MARK: What happens in chats

    /// A message was sent by this account, here. Returns at once; see ``PushHooks/messageSent(_:)``.
    public func messageSent(_ message: StoredMessage) {
        runtime?.hooks.messageSent(message)
    }

    /// A message was edited by this account, here. Returns at once; see ``PushHooks/messageEdited(_:mentionsBefore:)``.
    public func messageEdited(_ message: StoredMessage, mentionsBefore before: [PublicKey]?) {
        runtime?.hooks.messageEdited(message, mentionsBefore: before)
    }

    /// A chat was read by this account, here. Returns at once; see ``PushHooks/chatRead(_:)``.
    public func chatRead(_ reading: ChatReading) {
        runtime?.hooks.chatRead(reading)
    }

    /// Says what a host with a ``NotificationOutbox`` made of something that happened in a chat, once that is committed.
    /// Returns at once; what is in the outbox is sent from there.
    ///
    /// - Parameters:
    ///   - outcome: what became of the notification.
    ///   - spaceId: the space.
    public func noted(_ outcome: NotificationOutcome, in spaceId: String) {
        runtime?.hooks.note(outcome, in: spaceId)
        outboxChanged()
    }

    /// Says that the outbox has something new, such as a reading that it holds back. Returns at once.
    public func outboxChanged() {
        runtime?.queue.outboxChanged()
    }

    // MARK: Settings and spaces

    /// A space's notify mode was written on this device. To be called after the write and before the user is answered;
    /// see ``TopicReconciler/spaceModeWritten()``.
    public func spaceModeWritten() async {
        runtime?.reconciler.spaceModeWritten()
    }

    /// A chat's notify mode was written on this device. To be called after the write and before the user is answered;
    /// see ``TopicReconciler/chatModeWritten(in:)``.
    public func chatModeWritten(in spaceId: String) async {
        runtime?.reconciler.chatModeWritten(in: spaceId)
    }

    /// Something in the directory changed, for a host that tells so itself instead of by ``SpaceDirectory/changes()``.
    /// Returns at once.
    public func directoryChanged(_ change: DirectoryChange) {
        runtime?.reconciler.spaceListChanged()
    }

    // MARK: The token

    /// Takes the device's token and returns when it is saved; the node gets it in the background.
    ///
    /// - Throws: ``PushAccountError/disabled(_:)``, ``PushAccountError/notRunning``,
    ///   ``PushAccountError/tokenNotSaved(reason:)``.
    public func setToken(_ token: DeviceToken) async throws(PushAccountError) {
        let runtime = try started()
        do { try await runtime.tokens.set(token) } catch { throw .tokenNotSaved(reason: PushEvent.text(of: error)) }
        runtime.reconciler.tokenChanged()
    }

    /// Forgets the device's token and returns when that is saved; the node is told in the background.
    ///
    /// - Throws: as ``setToken(_:)``.
    public func deleteToken() async throws(PushAccountError) {
        let runtime = try started()
        do { try await runtime.tokens.revoke() } catch { throw .tokenNotSaved(reason: PushEvent.text(of: error)) }
        runtime.reconciler.tokenChanged()
    }

    /// Forgets the device's token because the account leaves the device, and waits a while for the node to confirm it.
    ///
    /// While push is off the record alone says so, for a run in which it is on.
    ///
    /// - Parameter limit: the longest wait.
    /// - Returns: whether nothing is left to do. If not, a ``PendingRevocation`` or the next run goes on.
    public func leaveDevice(within limit: Duration) async -> Bool {
        do {
            guard let tokens = runtime?.tokens else {
                if mayHaveRegistered() { try await persistence.save(.revoking) }
                return true
            }
            let status = await tokens.status
            guard status.isRegistered || status.isRevoking || status.recordError != nil else { return true }
            try await tokens.revoke()
            _ = await tokens.forward(within: limit)
            return await !tokens.status.isRevoking
        } catch {
            onEvent(.tokenRecordFailed(reason: PushEvent.text(of: error)))
            return true
        }
    }

    /// Whether the node may hold a token of this device: a record that cannot be read may have been of one.
    private func mayHaveRegistered() -> Bool {
        do {
            guard case .registered = try persistence.load() else { return false }
        } catch {
            onEvent(.tokenRecordFailed(reason: PushEvent.text(of: error)))
        }
        return true
    }

    /// What is known of the device's token on this device.
    ///
    /// - Throws: ``PushAccountError/disabled(_:)``, ``PushAccountError/notRunning``.
    public func tokenStatus() async throws(PushAccountError) -> DeviceTokenStatus {
        await (try started()).tokens.status
    }

    // MARK: Looking

    /// The topics that the node holds for the account.
    ///
    /// - Throws: ``PushAccountError/disabled(_:)``, ``PushAccountError/notRunning``, ``PushAccountError/node(_:)``.
    public func subscriptions() async throws(PushAccountError) -> [SubscribedTopic] {
        let runtime = try started()
        let held: [SubscribedTopic]
        do throws(PushNodeError) { held = try await runtime.client.subscriptions() } catch { throw .node(error) }
        // What is missing is brought at once, whoever found out.
        await runtime.reconciler.noteHeld(held)
        return held
    }

    /// What became of the last notifications to this device; `nil` when the node does not tell, as the reference.
    ///
    /// - Throws: as ``subscriptions()``.
    public func outcomes() async throws(PushAccountError) -> PushOutcomes? {
        let runtime = try started()
        do throws(PushNodeError) { return try await runtime.client.outcomes() } catch { throw .node(error) }
    }

    /// Waits until everything that was written has become notifications, and these are sent or given up.
    ///
    /// - Returns: whether nothing waits anymore.
    public func drain(timeout: Duration) async -> Bool {
        await runtime?.drain(timeout: timeout) ?? true
    }

    /// What the account is doing and has done since the start.
    public var status: PushAccountStatus {
        get async {
            PushAccountStatus(
                disabledReason: options.disabledReason, node: options.node,
                encryptedOnly: options.node.flatMap { options.dialPolicy.reason(for: $0.peerId) },
                activity: await runtime?.activity
            )
        }
    }
}
