import ProtoWire
import PushCrypto
import PushNode
import PushReceiver

/// The story of the demo, step by step.
struct DemoStory {
    private static let generalChat = "bafyreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
    private static let otherChat = "bafyreidg7yqtr4i5avlp2fn2eegjsu5xfnyl5i4hlpqdbqgexm6uc5m3hy"
    private static let spaceName = "Lighthouse"
    // A busy machine may take a while; a step that goes well takes milliseconds.
    private static let patience = 10.0

    private let report: DemoReport
    private let acl: DemoACL
    private let node: DemoNode
    private let phone: DemoPhone
    private let alice: DemoMember
    private let bob: DemoMember

    /// Tells the whole story.
    ///
    /// - Throws: what keeps the story from going on; a step that only did not hold is in the report.
    static func tell(_ report: DemoReport, acl: DemoACL, directory: String) async throws {
        report.step("A push node starts, as a process of its own")
        let node = try DemoNode(directory: directory + "/node")
        report.fact("peer id", "\(node.location.peerId)")
        report.fact("listening", "\(node.location.addresses[0])")
        let story = DemoStory(
            report: report, acl: acl, node: node,
            phone: try DemoPhone(
                token: "bobs-phone-token", keyDirectory: directory + "/phone-keys", spool: node.spool
            ),
            alice: try DemoMember(acl.alice, log: try acl.log(for: acl.alice), node: node.location),
            bob: try DemoMember(acl.bob, log: try acl.log(for: acl.bob), node: node.location)
        )
        do {
            try await story.tell()
        } catch {
            await story.end()
            throw error
        }
        await story.end()
    }

    private func tell() async throws {
        try deriveKeys()
        try await register()
        try await mention()
        try await rotate()
        try await longText()
        try await mute()
        try await outage()
    }

    private func end() async {
        await alice.shutdown()
        await bob.shutdown()
        node.stop()
    }

    private func deriveKeys() throws {
        report.step("Alice and Bob replay the space's ACL log and derive the same keys")
        let keys = try alice.keys()
        report.fact("space", alice.log.state.spaceId)
        report.fact("records", "\(alice.log.state.recordCount), \(alice.log.state.memberCount) members")
        report.fact("space push key (public)", Base58.encode(keys.spaceKey.publicKey.rawRepresentation))
        report.fact("payload encryption key id", keys.encryptionKeyId)
        report.check("both have the same two keys", try bob.keys() == keys)
    }

    private func register() async throws {
        report.step("Bob's phone gets the space's keys; its token and topics go to the node")
        _ = try phone.keys.add(try bob.keys().receiverKeys, spaceId: bob.log.state.spaceId)
        try await bob.client.setToken(phone.token, platform: .android)
        try await alice.client.createSpace(try alice.keys())
        try await subscribe(muted: false)
    }

    private func mention() async throws {
        report.step("Alice writes a message that mentions Bob")
        let text = "Bob, the lamp is lit again: come and see the harbour tonight"
        let notification = try compose(text, in: Self.generalChat, mentions: [bob.account.publicKey])
        for topic in notification.request.topics?.topics ?? [] { report.fact("topic", topic.topic.string) }
        report.fact("sealed payload", "\(notification.request.message?.payload.count ?? 0) bytes")
        await alice.queue.enqueue(notification)
        guard let delivery = next() else { return }
        report.fact("what the node forwards", "key id \(field("x-any-key-id", delivery)), payload \(peek(delivery))…")
        let seen = [text, "lamp", Self.spaceName].filter(node.knows)
        report.check("no file of the node holds a word of it", seen.isEmpty, seen.joined(separator: ", "))
        report.check("the phone shows it", shownText(delivery) == text, describe(delivery))
    }

    private func rotate() async throws {
        report.step("The read key rotates")
        let before = try alice.keys()
        try alice.log.append(acl.rotation)
        try bob.log.append(acl.rotation)
        let keys = try alice.keys()
        report.fact("payload encryption key id", keys.encryptionKeyId)
        report.check("the encryption key is new", keys.encryptionKeyId != before.encryptionKeyId)
        report.check("the space push key stays", keys.spaceKey == before.spaceKey)
        let text = "Written under the new key"
        await alice.queue.enqueue(try compose(text, in: Self.generalChat))
        guard let delivery = next() else { return }
        var isGeneric = false
        if case .generic(let notification) = phone.show(delivery) { isGeneric = notification.reason == .unknownKey }
        report.check("a phone without the new key shows no more than that there is something", isGeneric, describe(delivery))
        _ = try phone.keys.add(try bob.keys().receiverKeys, spaceId: bob.log.state.spaceId)
        report.check("with the new key it shows the message", shownText(delivery) == text, describe(delivery))
    }

    private func longText() async throws {
        report.step("Alice writes 1024 Chinese characters")
        let text = String(repeating: "海上升明月天涯共此时情人怨遥夜竟", count: 64)
        await alice.queue.enqueue(try compose(text, in: Self.generalChat))
        guard let delivery = next() else { return }
        let size = delivery.data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        report.check(
            "the provider's message is within \(ProviderBudget.messageByteCount) bytes",
            size <= ProviderBudget.messageByteCount, "\(size) bytes with all data keys"
        )
        let shown = shownText(delivery) ?? ""
        report.check(
            "the phone shows it, shortened on a character", !shown.isEmpty && text.hasPrefix(shown),
            "\(shown.unicodeScalars.count) of \(text.unicodeScalars.count) characters"
        )
    }

    private func mute() async throws {
        report.step("Bob mutes the chat")
        try await subscribe(muted: true)
        let quiet = "Nobody should hear this"
        await alice.queue.enqueue(try compose(quiet, in: Self.generalChat))
        report.check("the node takes the message", await alice.queue.drain(timeout: .seconds(Self.patience)))
        let loud = "But this, in another chat"
        await alice.queue.enqueue(try compose(loud, in: Self.otherChat))
        guard let delivery = next() else { return }
        report.check("the muted chat stays silent, another one does not", shownText(delivery) == loud, describe(delivery))
        try await subscribe(muted: false)
    }

    private func outage() async throws {
        report.step("The node is killed during a send")
        let before = await alice.attempts.count
        let text = "Through the outage"
        node.freeze()
        await alice.queue.enqueue(try compose(text, in: Self.generalChat))
        await alice.attempts.next(after: before)
        report.fact("try 1", "sent, unanswered; the node is killed and started again on the same port")
        try node.killAndRestart()
        report.fact("next try", "after \(NotifyQueue.Limits().retryInterval), as the queue does")
        guard let delivery = next(within: Self.patience * 2) else { return }
        report.check("a later try gets through", shownText(delivery) == text, describe(delivery))
        report.check("the queue is empty", await alice.queue.drain(timeout: .seconds(Self.patience)))
        report.fact("tries", "\(await alice.attempts.count - before)")
        let texts = phone.inbox.compactMap(shownText)
        report.check("nothing came twice", Set(texts).count == texts.count, "\(phone.inbox.count) push messages in all")
    }

    // MARK: Parts of steps

    private func compose(
        _ text: String, in chatId: String, mentions: [PublicKey] = []
    ) throws -> OutgoingNotification {
        let message = ChatPayload.NewMessage(
            chatId: WireString(chatId), msgId: WireString("message-\(phone.inbox.count)"), spaceName: WireString(Self.spaceName),
            chatName: "General", senderName: "Alice", text: WireString(text)
        )
        let payload = ChatPayload(
            spaceId: WireString(alice.log.state.spaceId), isOneToOne: alice.log.state.isOneToOne,
            senderId: WireString(alice.account.publicKey.accountAddress), newMessage: message
        )
        return try alice.composer.newMessage(payload, mentions: mentions, keys: try alice.keys())
    }

    private func subscribe(muted: Bool) async throws {
        let space = SpaceModes(
            spaceId: bob.log.state.spaceId, isActive: true, isOwned: false, isOneToOne: false, mode: nil,
            chats: [
                SpaceModes.Chat(chatId: Self.generalChat, mode: muted ? NotifyMode.none : nil),
                SpaceModes.Chat(chatId: Self.otherChat, mode: nil),
            ]
        )
        let topics = DesiredTopics(identity: bob.account.publicKey, spaces: [space]).subscriptions.flatMap(\.topics)
        let keys = try bob.keys()
        try await bob.client.subscribeAll(topics.map(keys.sign))
        let held = try await bob.client.subscriptions().map(\.name)
        report.check(
            "the node holds the topics that Bob wants", Set(held) == Set(topics),
            topics.map { $0.string.count > 40 ? $0.string.prefix(40) + "…" : $0.string }.joined(separator: ", ")
        )
    }

    private func next(within seconds: Double = patience) -> DemoPhone.Delivery? {
        let delivery = phone.next(within: seconds)
        report.check("the node delivers to the phone", delivery != nil)
        return delivery
    }

    private func shownText(_ delivery: DemoPhone.Delivery) -> String? {
        guard case .message(let notification) = phone.show(delivery), notification.sender.isVerified else { return nil }
        return notification.text
    }

    private func describe(_ delivery: DemoPhone.Delivery) -> String {
        switch phone.show(delivery) {
        case .message(let notification): "\(notification.title) / \(notification.body)"
        case .generic: GenericNotification.text
        case .silent: "(nothing)"
        }
    }

    private func field(_ name: String, _ delivery: DemoPhone.Delivery) -> String {
        String((delivery.data[name] ?? "-").prefix(16)) + "…"
    }

    private func peek(_ delivery: DemoPhone.Delivery) -> String {
        String((delivery.data["x-any-payload"] ?? "-").prefix(40))
    }
}
