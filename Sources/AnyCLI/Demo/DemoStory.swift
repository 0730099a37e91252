import AnyServer
import FoundationEssentials
import PushAPI
import PushCrypto
import PushNode
import PushReceiver

/// The story of the demo, step by step.
struct DemoStory {
    private static let spaceName = "Lighthouse"
    // A busy machine may take a while; a step that goes well takes milliseconds.
    private static let patience = 10.0
    // The queue's pause between two tries, and the patience.
    private static let nextTry = 20.0

    private let report: DemoReport
    private let directory: String
    private let node: DemoNode
    private let phone: DemoPhone
    private let alice: DemoServer
    private let bob: DemoServer
    private let spaceId: String
    private let chatId: String

    /// Tells the whole story.
    ///
    /// - Parameter isBrief: whether the outage is left out.
    /// - Throws: what keeps the story from going on; a step that only did not hold is in the report.
    static func tell(_ report: DemoReport, directory: String, isBrief: Bool) throws {
        report.step("A push node starts, as a process of its own")
        let node = try DemoNode(directory: directory + "/node")
        defer { node.stop() }
        report.fact("peer id", "\(node.location.peerId)")
        report.fact("listening", "\(node.location.addresses[0])")

        report.step("Alice and Bob make accounts and start their servers, which know the node")
        let alice = try DemoServer(directory: directory + "/alice", push: node.location)
        defer { alice.stop() }
        let bob = try DemoServer(directory: directory + "/bob", push: node.location)
        defer { bob.stop() }
        try alice.send(.patch, "/v1/profile", ["name": "Alice"])
        try bob.send(.patch, "/v1/profile", ["name": "Bob"])
        report.fact("Alice", "\(alice.accountId) at http://\(alice.address)")
        report.fact("Bob", "\(bob.accountId) at http://\(bob.address)")

        report.step("Alice makes a space and lets Bob in")
        let space = try alice.send(.post, "/v1/spaces", ["name": .string(spaceName)])
        guard let spaceId = space.string("id") else { throw ChildProcess.Failure(description: "the space has no id") }
        try alice.send(.post, "/v1/spaces/\(spaceId)/members", ["identity": .string(bob.accountId), "role": "writer"])
        let chats = try alice.send(.get, "/v1/spaces/\(spaceId)/chats").array("chats") ?? []
        guard let chatId = chats.first(where: { $0.object?.bool("isGeneral") == true })?.object?.string("id") else {
            throw ChildProcess.Failure(description: "the space has no general chat")
        }
        report.fact("space", spaceId)
        report.fact("general chat", chatId)
        try DemoStory(
            report: report, directory: directory, node: node,
            phone: try DemoPhone(token: "bobs-phone-token", keyDirectory: directory + "/phone-keys", spool: node.spool),
            alice: alice, bob: bob, spaceId: spaceId, chatId: chatId
        ).tell(isBrief: isBrief)
    }

    private func tell(isBrief: Bool) throws {
        try carry()
        try register()
        try mention()
        try edit()
        try readElsewhere()
        try rotate()
        try longText()
        try mute()
        try crash()
        if !isBrief { try outage() }
        try remove()
    }

    private func carry() throws {
        report.step("The space travels to Bob as a file")
        let file = try export()
        report.check("the file says nothing in the clear", !holds(file, Self.spaceName), "\(file.count) bytes")
        report.fact("imported", String(decoding: JSONWriter.bytes(.object(try importAtBobs(file))), as: UTF8.self))
        let again = try importAtBobs(file)
        report.check(
            "to import it again changes nothing", again.integer("records") == 0 && again.integer("changes") == 0)
        let row = try bob.send(.get, "/v1/spaces/\(spaceId)")
        report.check("Bob sees the space", row.string("name") == Self.spaceName, row.string("ownRole") ?? "-")
        let keys = try alice.keys(of: spaceId)
        report.fact("payload encryption key id", keys.encKeyId)
        report.check("both have the same two keys", try bob.keys(of: spaceId) == keys)
    }

    private func register() throws {
        report.step("Bob's phone gets the space's keys; its token and topics go to the node")
        try phone.remember(try bob.keys(of: spaceId), spaceId: spaceId, account: bob.accountId)
        try bob.send(.post, "/v1/push/token", ["platform": "android", "token": .string(phone.token)])
        try waitForTopics(["chats", bob.accountId])
    }

    private func mention() throws {
        report.step("Alice writes a message that mentions Bob")
        let rest = ", the lamp is lit again: come and see the harbour"
        guard let delivery = try deliver(bobsLink + rest) else { return }
        report.fact("what the node forwards", "key id \(field("x-any-key-id", delivery)), payload \(peek(delivery))…")
        let seen = ["lamp", "harbour", Self.spaceName].filter(node.knows)
        report.check("no file of the node holds a word of it", seen.isEmpty, seen.joined(separator: ", "))
        check("the phone shows it, with Bob's name for the link", delivery, "@Bob" + rest)
        if case .message(let notification) = phone.open(delivery) {
            report.fact("title", notification.title)
            report.fact("body", notification.body)
            report.check("it names the chat", notification.chatName == "general", notification.chatName)
        }
    }

    // A mention, as every app writes it.
    private var bobsLink: String { "[Bob](any://m/\(spaceId)/\(bob.accountId))" }

    private func edit() throws {
        report.step("Alice edits a message")
        let message = try say("The tide turns at eight")
        guard let first = next() else { return }
        check("the phone shows it", first, "The tide turns at eight")
        try change(message, to: "The tide turns at nine")
        try change(message, to: "The tide turns at nine, \(bobsLink)")
        guard let delivery = next() else { return }
        check(
            "an edit that mentions nobody is silent, one that newly mentions Bob is not", delivery,
            "The tide turns at nine, @Bob")
    }

    private func readElsewhere() throws {
        report.step("Bob reads the chat on his computer")
        try carryToBob()
        let chats = try bob.send(.get, "/v1/spaces/\(spaceId)/chats").array("chats") ?? []
        let mentions = chats.first?.object?.integer("unreadMentions")
        report.check("his server counts the mentions", mentions == 2, "\(mentions ?? -1) unread")
        try bob.send(.post, chat.appending("read-all"))
        guard let delivery = next() else { return }
        var isTakenBack = false
        if case .retract = phone.show(delivery) { isTakenBack = true }
        report.check("the phone takes the notification back, silently", isTakenBack)
    }

    private func rotate() throws {
        report.step("The read key rotates")
        let before = try alice.keys(of: spaceId)
        try alice.send(.post, "/v1/spaces/\(spaceId)/rotate")
        let keys = try alice.keys(of: spaceId)
        report.fact("payload encryption key id", keys.encKeyId)
        report.check("the encryption key is new", keys.encKeyId != before.encKeyId)
        report.check("the space push key stays", keys.spaceKey == before.spaceKey)
        let text = "Written under the new key"
        guard let delivery = try deliver(text) else { return }
        var isGeneric = false
        if case .generic(let notification) = phone.open(delivery) { isGeneric = notification.reason == .unknownKey }
        report.check("a phone without the new key shows no more than that there is something", isGeneric)
        try carryToBob()
        try phone.remember(try bob.keys(of: spaceId), spaceId: spaceId, account: bob.accountId)
        check("with the new key it shows the message", delivery, text)
    }

    private func longText() throws {
        report.step("Alice writes 1024 Chinese characters")
        let text = String(repeating: "海上升明月天涯共此时情人怨遥夜竟", count: 64)
        guard let delivery = try deliver(text) else { return }
        let size = delivery.data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        report.check(
            "the provider's message is within \(ProviderBudget.messageByteCount) bytes",
            size <= ProviderBudget.messageByteCount, "\(size) bytes with all data keys")
        let shown = shownText(delivery) ?? ""
        report.check(
            "the phone shows it, shortened on a character", !shown.isEmpty && text.hasPrefix(shown),
            "\(shown.unicodeScalars.count) of \(text.unicodeScalars.count) characters")
    }

    private func mute() throws {
        report.step("Bob wants to hear of mentions only, then of one chat everything")
        try bob.send(.patch, "/v1/spaces/\(spaceId)/settings", ["set": ["notifyMode": "mentions"]])
        try waitForTopics([bob.accountId])
        try say("Nobody's phone should ring for this")
        guard let delivery = try deliver("But for this, \(bobsLink)") else { return }
        check("a message that mentions nobody stays silent, the mention does not", delivery, "But for this, @Bob")
        let path: RequestPath = "/v1/spaces/\(spaceId)/properties/\(chatId)/set/chat"
        try bob.send(.post, path, ["patch": ["notifyMode": "all"]])
        let group = "chats/\(GroupId(chatId: chatId).text)"
        try waitForTopics([group, "\(group)/\(bob.accountId)"])
    }

    private func crash() throws {
        report.step("Bob's server is killed and started again")
        let settings = try bob.send(.get, "/v1/spaces/\(spaceId)").object("settings")
        try bob.killAndRestart()
        let row = try bob.send(.get, "/v1/spaces/\(spaceId)")
        report.check("it has what it had", row.object("settings") == settings && row.string("status") == "active")
        let text = "Are you still there?"
        guard let delivery = try deliver(text) else { return }
        check("the phone shows the next message", delivery, text)
    }

    private func outage() throws {
        report.step("The node is killed during a send")
        let text = "Through the outage"
        // The node has answered everything: a notification whose answer is lost is sent again, and comes twice.
        report.check("the node has answered what was sent before", try queueReaches(0))
        node.freeze()
        let clock = ContinuousClock()
        let time = try clock.measure { try say(text) }
        report.check("writing does not wait for the node", time < .seconds(5), "\(Int(time / .milliseconds(1))) ms")
        report.check("the notification waits for the node's answer", try queueReaches(1))
        try node.killAndRestart()
        report.fact("next try", "after \(NotifyQueue.Limits().retryInterval), as the queue does")
        guard let delivery = next(within: Self.nextTry) else { return }
        check("a later try gets through", delivery, text)
        let texts = phone.inbox.compactMap(shownText)
        report.check("nothing came twice", Set(texts).count == texts.count, "\(phone.inbox.count) push messages in all")
    }

    private func remove() throws {
        report.step("Alice removes Bob from the space")
        try alice.send(.delete, "/v1/spaces/\(spaceId)/members/\(bob.accountId)")
        guard let delivery = try deliver("Bob must not read this") else { return }
        var isGeneric = false
        if case .generic(let notification) = phone.open(delivery) { isGeneric = notification.reason == .unknownKey }
        report.check("his phone, still subscribed, can not open it: the key was changed", isGeneric)
        try carryToBob()
        try waitForTopics([])
        let row = try bob.send(.get, "/v1/spaces/\(spaceId)")
        report.check("he is no member any more", row.string("ownRole") == "none", row.string("status") ?? "-")
        let keys = try? bob.keys(of: spaceId)
        report.check("his server has no new key", keys?.encKeyId != (try alice.keys(of: spaceId).encKeyId))
    }

    // MARK: Parts of steps

    /// Asks until so many of Alice's notifications wait for the node, which is a matter of milliseconds.
    private func queueReaches(_ depth: Int) throws -> Bool {
        try (0..<1000).contains { _ in
            try alice.send(.get, "/v1/push/status").object("queue")?.integer("depth") == depth
        }
    }

    private var chat: RequestPath { "/v1/spaces/\(spaceId)/objects/\(chatId)/chat" }

    /// Alice writes a message.
    ///
    /// - Returns: its id.
    @discardableResult
    private func say(_ text: String) throws -> String {
        let answer = try alice.send(.post, chat.appending("messages"), ["text": .string(text)])
        guard let id = answer.array("recordIds")?.first?.string else {
            throw ChildProcess.Failure(description: "a message was taken without an id")
        }
        return id
    }

    /// Alice edits a message.
    private func change(_ message: String, to text: String) throws {
        try alice.send(.patch, chat.appending("messages").appending(message), ["text": .string(text)])
    }

    /// Alice writes a message, and the phone gets it.
    private func deliver(_ text: String) throws -> DemoPhone.Delivery? {
        try say(text)
        return next()
    }

    private func next(within seconds: Double = patience) -> DemoPhone.Delivery? {
        let delivery = phone.next(within: seconds)
        report.check("the node delivers to the phone", delivery != nil)
        return delivery
    }

    private func export() throws -> [UInt8] {
        try alice.command(["space", "export", spaceId])
    }

    private func importAtBobs(_ file: [UInt8]) throws -> JSONObject {
        let path = directory + "/space.jsonl"
        try Data(file).write(to: URL(fileURLWithPath: path))
        let output = try bob.command(["space", "import", path])
        return try JSONParser.parse(output, limits: ServerReply.limits).object ?? [:]
    }

    private func carryToBob() throws {
        _ = try importAtBobs(try export())
    }

    /// Waits until the node holds exactly these topics for Bob.
    private func waitForTopics(_ topics: Set<String>) throws {
        let held: Bool? = try node.watch.first(within: Self.patience) {
            try Set(bob.subscriptions()) == topics ? true : nil
        }
        report.check(
            "the node holds the topics that Bob wants", held == true,
            topics.sorted().map { $0.count > 40 ? $0.prefix(40) + "…" : $0 }.joined(separator: ", "))
    }

    private func check(_ name: String, _ delivery: DemoPhone.Delivery, _ text: String) {
        _ = phone.show(delivery)
        report.check(name, shownText(delivery) == text, describe(delivery))
    }

    private func shownText(_ delivery: DemoPhone.Delivery) -> String? {
        guard case .message(let notification) = phone.open(delivery) else { return nil }
        return notification.text
    }

    private func describe(_ delivery: DemoPhone.Delivery) -> String {
        switch phone.open(delivery) {
        case .message(let notification): "\(notification.title) / \(notification.body)"
        case .generic: GenericNotification.text
        case .silent: "(nothing)"
        }
    }

    private func holds(_ file: [UInt8], _ text: String) -> Bool {
        Data(file).firstRange(of: Data(text.utf8)) != nil
    }

    private func field(_ name: String, _ delivery: DemoPhone.Delivery) -> String {
        String((delivery.data[name] ?? "-").prefix(16)) + "…"
    }

    private func peek(_ delivery: DemoPhone.Delivery) -> String {
        String((delivery.data["x-any-payload"] ?? "-").prefix(40))
    }
}
