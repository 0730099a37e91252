import AnySyncNet
import AnySyncWire
public import ProtoWire
import PushAPI
import PushCrypto

/// Sends a test notification to this account's devices, step by step.
///
/// A node leaves out the sender's own devices, so the test is sent by an account made for this once, which is forgotten
/// afterwards. It is sealed with a space's key like any other, and published under the topics alone by which this account
/// is mentioned: nobody else is subscribed to them. What becomes of it behind the node, ``PushAccount/outcomes()`` tells.
public struct PushTest: Sendable {
    /// What a test needs at most.
    public struct Limits: Hashable, Sendable {
        /// For one call to the node, connecting included.
        public var call = Duration.seconds(10)
        /// For reading the spaces.
        public var reading = Duration.seconds(10)

        /// The defaults named at each property.
        public init() {}
    }

    /// One step of a test.
    public enum StepName: String, Hashable, Sendable, CaseIterable {
        /// The device's token, here and at the node.
        case token
        /// A space whose topics the node holds.
        case topics
        /// The notification was taken by the node.
        case node
    }

    /// What came of a step.
    public struct Step: Hashable, Sendable {
        /// Which one.
        public let name: StepName
        /// How it went.
        public let status: DoctorStage.Status
        /// What happened, in a sentence.
        public let message: String
        /// What to do, in a sentence; `nil` when there is nothing to do.
        public let fix: String?
    }

    /// What came of a test.
    public struct Report: Hashable, Sendable {
        /// The steps that were made; after one that fails there is none.
        public fileprivate(set) var steps: [Step] = []
        /// The number of the last notification that the node has noted for this device before the test: what comes of the
        /// test has a higher one. `nil` when the node does not tell.
        public fileprivate(set) var lastOutcome: UInt64?

        /// Whether the node has taken the notification.
        public var isSent: Bool { steps.contains { $0.name == .node && $0.status != .fail } }
        /// Whether no step failed.
        public var isHealthy: Bool { !steps.contains { $0.status == .fail } }
    }

    let account: PushAccount
    let limits: Limits

    /// A test for an account.
    public init(_ account: PushAccount, limits: Limits = Limits()) {
        self.account = account
        self.limits = limits
    }

    /// What the test notification says.
    public static let text: WireString = "This is a test of push notifications."
    /// In the place of a sender's name.
    public static let senderName: WireString = "Push test"

    /// Sends the notification.
    ///
    /// - Parameter spaceId: the space to send it in; `nil` for the first one that the node holds topics of.
    /// - Returns: what came of each step, within the times of ``Limits``.
    /// - Throws: ``PushAccountError/disabled(_:)``, ``PushAccountError/notRunning``.
    public func run(in spaceId: String? = nil) async throws(PushAccountError) -> Report {
        let runtime = try account.started()
        var report = Report()
        let status = await runtime.tokens.status
        report.steps.append(Self.tokenStep(status))
        guard report.isHealthy else { return report }
        // Asked first, so that the number is of before the test.
        if case .some(let outcomes?) = try? await runtime.client.outcomes() {
            report.lastOutcome = outcomes.outcomes.last?.number ?? 0
        }
        let target: Target
        do {
            target = try await self.target(in: spaceId, runtime)
        } catch {
            report.steps.append(Step(name: .topics, status: .fail, message: error.message, fix: error.fix))
            return report
        }
        let label = target.name.isEmpty ? target.spaceId : target.name
        report.steps.append(
            Step(
                name: .topics, status: .ok,
                message: "The node holds the topics by which this account is mentioned in \(label).", fix: nil))
        report.steps.append(await send(to: target, runtime))
        return report
    }

    private static func tokenStep(_ token: DeviceTokenStatus) -> Step {
        guard token.isRegistered else {
            return Step(
                name: .token, status: .warning,
                message: "No phone is registered here: only this account's other devices can get the test.",
                fix: "Let the app on the phone register its token (any push token set).")
        }
        let platform = token.platform?.name ?? "unknown"
        guard token.isSettled else {
            let reason = token.lastError.map { ": \(PushEvent.text(of: $0))" } ?? ""
            return Step(
                name: .token, status: .fail,
                message: "The token (\(platform)) is registered here, but the node has not taken it yet\(reason).",
                fix: "It is tried again by itself; any push doctor says more.")
        }
        let age = token.sinceConfirmed.map { ", confirmed \($0.inWords) ago" } ?? ""
        return Step(
            name: .token, status: .ok, message: "The node has this device's token (\(platform))\(age).", fix: nil)
    }

    // MARK: Where to send it

    private struct Target: Sendable {
        let spaceId: String
        let name: String
        let chatId: String
        let isOneToOne: Bool
        let keys: SpacePushKeys
    }

    private struct NoTarget: Error {
        let message: String
        var fix: String?
    }

    private func target(in wanted: String?, _ runtime: PushRuntime) async throws(NoTarget) -> Target {
        let held: Set<SubscribedTopic>
        do throws(PushNodeError) { held = Set(try await runtime.client.subscriptions()) } catch {
            throw NoTarget(
                message: "The node does not say which topics it holds: \(PushEvent.text(of: error)).",
                fix: "any push doctor looks at each step of the way to the node.")
        }
        let spaces: [DoctorReading.Space]
        switch await PushDoctor(account, limits: doctorLimits).read().spaces {
        case .success(let found): spaces = found
        case .failure(let error):
            throw NoTarget(
                message: "The account's spaces cannot be read: \(error.reason).", fix: "Look at the server's log.")
        }
        let candidates = wanted.map { id in spaces.filter { $0.row.spaceId == id } } ?? spaces
        guard !candidates.isEmpty else {
            throw wanted == nil
                ? NoTarget(
                    message: "The account is in no space, so it has no topics.", fix: "Make a space, or import one.")
                : NoTarget(message: "The account has no active space with this id.", fix: "any space query lists them.")
        }
        let identity = account.options.account.publicKey
        for space in candidates {
            guard let keys = space.keys else { continue }
            let spaceKey = keys.spaceKey.publicKey.rawRepresentation
            func holds(_ name: WireString) -> Bool { held.contains(SubscribedTopic(spaceKey: spaceKey, name: name)) }
            let chats = (try? space.chats.get()) ?? []
            let isWhole = holds(TopicName.identity(identity))
            // Without topics of its own, a chat has those of the space.
            let chat = chats.first { isWhole || holds(TopicName.mention(of: identity, in: GroupId(chatId: $0.id))) }
            guard let chat else { continue }
            return Target(
                spaceId: space.row.spaceId, name: space.name, chatId: chat.id, isOneToOne: space.row.isOneToOne,
                keys: keys)
        }
        throw NoTarget(
            message: wanted == nil
                ? "The node holds no topic of this account's: every space is muted, without keys, or not sent to it yet."
                : "The node holds no topic of this account's in the space: it is muted, without keys, or not sent yet.",
            fix: "any push doctor says which: see its stages topics and muted.")
    }

    private var doctorLimits: PushDoctor.Limits {
        var limits = PushDoctor.Limits()
        limits.reading = self.limits.reading
        return limits
    }

    // MARK: Sending it

    private func send(to target: Target, _ runtime: PushRuntime) async -> Step {
        guard let node = account.options.node else { return failed("no node is configured") }
        let sender = SigningKey()
        let notification: OutgoingNotification
        do throws(ComposeError) {
            var composer = NotificationComposer(account: sender)
            let sent = try composer.edit(
                payload(to: target, from: sender), newMentions: [account.options.account.publicKey], keys: target.keys)
            guard let sent else { return failed("there is nothing to send") }
            notification = sent
        } catch {
            return failed("it cannot be sealed: \(PushEvent.text(of: error))")
        }
        let client: PushNodeClient
        do {
            var options = account.options
            options.account = sender
            let network = try PushNetwork(
                options, device: SigningKey(), on: runtime.network.eventLoop, limits: NetLimits())
            var granted = PushNodeClient.Limits()
            granted.callTimeout = limits.call
            client = PushNodeClient(
                account: sender, node: node,
                dialer: Dialer(network.endpoint, transports: network.transports, policy: options.dialPolicy),
                limits: granted)
        } catch {
            return failed("this device cannot connect: \(PushEvent.text(of: error))")
        }
        let stopwatch = Stopwatch(.continuous)
        let result: Result<Void, PushNodeError>
        do throws(PushNodeError) { result = .success(try await client.send(notification)) } catch {
            result = .failure(error)
        }
        let path: PushNodePath? = if case .connected(let path) = await client.status.state { path } else { nil }
        await client.close()
        switch result {
        case .success:
            let place = path.map { " at \($0.kind)://\($0.address)" } ?? ""
            return Step(
                name: .node, status: .ok, message: "The node\(place) took it in \(stopwatch.elapsed().inWords).",
                fix: nil)
        case .failure(let error):
            return Step(
                name: .node, status: .fail, message: "The node did not take it: \(PushEvent.text(of: error)).",
                fix: "any push doctor looks at each step of the way to the node.")
        }
    }

    private func payload(to target: Target, from sender: SigningKey) -> ChatPayload {
        // A message of its own each time: a phone shows none twice.
        let id = "push-test-\(Base58.encode(SigningKey().publicKey.rawRepresentation).prefix(16))"
        return ChatPayload(
            spaceId: WireString(target.spaceId), isOneToOne: target.isOneToOne,
            senderId: WireString(sender.publicKey.accountAddress),
            newMessage: ChatPayload.NewMessage(
                chatId: WireString(target.chatId), msgId: WireString(id), spaceName: WireString(target.name),
                chatName: "",
                senderName: Self.senderName, text: Self.text))
    }

    private func failed(_ reason: String) -> Step {
        Step(name: .node, status: .fail, message: "The test was not sent: \(reason).", fix: "Look at the server's log.")
    }
}
