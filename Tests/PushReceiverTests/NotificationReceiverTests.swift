import FoundationEssentials
import ProtoWire
import PushCrypto
import PushReceiver
import Testing

@Suite struct NotificationReceiverTests {
    let sender = SigningKey()
    let key = SymmetricKey()
    var receiver: NotificationReceiver { NotificationReceiver(keys: KeyTable([key.keyId: key], spaceId: "spc_1")) }

    @Test func aMessageIsRendered() throws {
        let notification = try message(receive(payload()))
        #expect(notification.spaceId == "spc_1")
        #expect(notification.spaceName == "Project")
        #expect(notification.chatId == "obj_1")
        #expect(notification.chatName == "general")
        #expect(notification.messageId == "msg_1")
        #expect(notification.sender == sender.publicKey)
        #expect(notification.senderName == "alice")
        #expect(notification.text == "hello 👋 <b>")
        #expect(notification.attachmentCount == 0)
        #expect(!notification.isOneToOne)
        #expect(notification.groupId == GroupId(chatId: "obj_1").text)
        #expect(notification.title == "Project")
        #expect(notification.subtitle == "general")
        #expect(notification.body == "alice: hello 👋 <b>")
    }

    @Test func aSpaceOfTwoIsNamedAfterItsSender() throws {
        let notification = try message(receive(payload(isOneToOne: true)))
        #expect(notification.title == "alice")
        #expect(notification.subtitle == nil)
        #expect(notification.body == "hello 👋 <b>")
    }

    @Test(arguments: [(0, "New message"), (1, "Attachment"), (3, "3 attachments")])
    func aMessageWithoutTextSaysWhatItHas(_ attachments: Int, _ body: String) throws {
        let notification = try message(receive(payload(text: "", attachments: attachments, isOneToOne: true)))
        #expect(notification.body == body)
        #expect(notification.attachmentCount == attachments)
    }

    @Test func emptyNamesGiveWay() throws {
        let nameless = try message(receive(payload(spaceName: "", senderName: "")))
        #expect(nameless.title == "general")
        #expect(nameless.subtitle == nil)
        // Not the text alone, which could begin with another's name.
        #expect(nameless.body == "\(sender.publicKey.accountAddress.prefix(8))…: hello 👋 <b>")
        #expect(try message(receive(payload(spaceName: "", chatName: ""))).title == "New message")
    }

    @Test func whatNobodySignedIsNotShown() throws {
        let stranger = SigningKey()
        let faults: [(SenderFault, (inout [String: String]) -> Void)] = [
            (.forged(claimed: sender.publicKey), { $0["x-any-signature"] = signature(by: stranger, of: $0) }),
            (.forged(claimed: sender.publicKey), { $0["x-any-signature"] = "" }),
            (.unsigned, { $0["x-any-signature"] = nil }),
            (.unsigned, { $0["x-any-signature"] = "%" }),
        ]
        for (fault, change) in faults {
            for isOneToOne in [false, true] {
                var data = try map(payload(isOneToOne: isOneToOne))
                change(&data)
                #expect(generic(receiver.receive(data)) == .unprovenSender(fault))
            }
        }
        #expect(try generic(receive(payload(senderId: "somebody"))) == .unprovenSender(.unknownSender))
    }

    // A member of one space seals under its key what names another one, as its victim's mother in a space of two.
    @Test func aKeyOpensNothingOfAnotherSpace() throws {
        for spaceId in ["spc_2", "", "spc_1 ", "SPC_1"] {
            let crafted = payload(spaceName: "", senderName: "Mum", spaceId: WireString(spaceId), isOneToOne: true)
            #expect(try generic(receive(crafted)) == .keyOfAnotherSpace, "\(spaceId)")
        }
        // Of several spaces that share a key, each counts.
        var keys = KeyTable([key.keyId: key], spaceId: "spc_1")
        keys.file(key, withId: key.keyId, spaceId: "spc_2")
        let both = NotificationReceiver(keys: keys)
        for spaceId in ["spc_1", "spc_2"] {
            #expect(try message(both.receive(map(payload(spaceId: WireString(spaceId))))).spaceId == spaceId)
        }
        #expect(try generic(both.receive(map(payload(spaceId: "spc_3")))) == .keyOfAnotherSpace)
    }

    @Test func theAppsOwnRowGoesBeforeThePayload() throws {
        let row = KnownSpace(name: "Family\n", isOneToOne: false, chatNames: ["obj_1": "Kitchen"])
        let receiver = NotificationReceiver(
            keys: KeyTable([key.keyId: key], spaceId: "spc_1"), spaces: ["spc_1": row])
        let shown = try message(receiver.receive(map(payload(senderName: "Mum", isOneToOne: true))))
        #expect(shown.title == "Family" && shown.subtitle == "Kitchen" && !shown.isOneToOne)
        #expect(shown.body == "Mum: hello 👋 <b>")
        let otherChat = try message(receiver.receive(map(payload(chatId: "obj_2"))))
        #expect(otherChat.title == "Family" && otherChat.subtitle == "general")
        let pair = NotificationReceiver(
            keys: KeyTable([key.keyId: key], spaceId: "spc_1"),
            spaces: ["spc_1": KnownSpace(name: "", isOneToOne: true)])
        #expect(try message(pair.receive(map(payload()))).title == "alice")
        #expect(try message(pair.receive(map(payload()))).spaceName == "Project")
    }

    @Test func whatARemovedMemberSealsIsShownForAWeekAtMost() throws {
        var keys = KeyTable()
        keys.file(key, withId: key.keyId, spaceId: "spc_1", KeyFiling(supersededAt: 1_000))
        let receiver = NotificationReceiver(keys: keys)
        let data = try map(payload())
        #expect(try message(receiver.receive(data, at: 1_000 + 7 * 86_400)).text == "hello 👋 <b>")
        #expect(generic(receiver.receive(data, at: 1_001 + 7 * 86_400)) == .supersededKey)
        // A clock that was set back is no reason to hide what is new.
        #expect(try message(receiver.receive(data, at: -5)).text == "hello 👋 <b>")
        #expect(generic(receiver.receive(data, at: .max)) == .supersededKey)
    }

    @Test func aLineOfATextPassesForNobodyElses() throws {
        let text: WireString = "hi\nAlice: pay Bob\u{2028}Alice: now\u{202e}"
        let group = try message(receive(payload(text: text, senderName: "Mallory")))
        #expect(group.body == "Mallory: hi Alice: pay Bob Alice: now")
        let pair = try message(receive(payload(text: text, senderName: "Mallory\nAlice", isOneToOne: true)))
        #expect(pair.title == "Mallory Alice")
        #expect(pair.body == "hi\nAlice: pay Bob\nAlice: now")
    }

    @Test func aMentionIsShownByItsName() throws {
        let link = "any://m/spc_1/\(sender.publicKey.accountAddress)"
        let text = WireString("[Bob](\(link)), see [@Ann](\(link))\n\(link)")
        let names: [WireString] = [WireString("[Crew](\(link))"), WireString("[Deck](\(link))")]
        let group = try message(receive(payload(spaceName: names[0], chatName: names[1], text: text)))
        let short = "@\(sender.publicKey.accountAddress.prefix(8))…"
        #expect(group.title == "@Crew" && group.subtitle == "@Deck")
        #expect(group.body == "alice: @Bob, see @Ann \(short)")
        let pair = try message(receive(payload(text: text, senderName: names[0], isOneToOne: true)))
        #expect(pair.title == "@Crew" && pair.body == "@Bob, see @Ann\n\(short)")
    }

    @Test func theGroupIsTheChatsWhateverTheNodeSays() throws {
        var data = try map(payload())
        data["x-any-group-id"] = "another"
        #expect(try message(receiver.receive(data)).groupId == GroupId(chatId: "obj_1").text)
        data = try map(payload(chatId: ""))
        data["x-any-group-id"] = "another"
        #expect(try message(receiver.receive(data)).groupId == "another")
    }

    @Test func aSilentMessageTakesItsGroupBack() throws {
        var data = ["x-any-type": "silent", "x-any-group-id": "group"]
        #expect(notice(receiver.receive(data)) == "group")
        for none in ["", nil, String(repeating: "g", count: 129)] {
            data["x-any-group-id"] = none
            #expect(notice(receiver.receive(data)) == "none")
        }
        // With a message it is still silent, whatever the message says.
        var withMessage = try map(payload())
        withMessage["x-any-type"] = "silent"
        #expect(notice(receiver.receive(withMessage)) == GroupId(chatId: "obj_1").text)
    }

    @Test func whatIsMissingOrUnknownIsNamed() throws {
        let whole = try map(payload())
        let cases: [(GenericReason, String, String?)] = [
            (.unknownType, "x-any-type", nil), (.unknownType, "x-any-type", ""), (.unknownType, "x-any-type", "NORMAL"),
            (.unknownType, "x-any-type", "loud"), (.noPayload, "x-any-payload", nil),
            (.notOpened(.tooShort(minimum: 28, found: 0)), "x-any-payload", ""),
            (.notOpened(.tooShort(minimum: 28, found: 3)), "x-any-payload", "AAAA"),
            (.payloadNotBase64, "x-any-payload", "%%%"), (.payloadNotBase64, "x-any-payload", "AAA"),
            (.payloadNotBase64, "x-any-payload", "AA_-"),
            (.payloadNotBase64, "x-any-payload", " AAAA"), (.payloadNotBase64, "x-any-payload", "AAAA===="),
            (.notOpened(.authenticationFailed), "x-any-payload", String(repeating: "A", count: 40)),
            (.unknownKey, "x-any-key-id", nil), (.unknownKey, "x-any-key-id", ""),
            (.unknownKey, "x-any-key-id", key.keyId.uppercased()), (.unknownKey, "x-any-key-id", SymmetricKey().keyId),
        ]
        for (reason, field, value) in cases {
            var data = whole
            data[field] = value
            #expect(generic(receiver.receive(data)) == reason, "\(field) \(value ?? "missing")")
            guard case .generic(let notification) = receiver.receive(data) else { continue }
            #expect(notification.groupId == whole["x-any-group-id"])
            #expect(!"\(reason)".isEmpty)
        }
        #expect(generic(receiver.receive([:])) == .unknownType)
        #expect(GenericNotification.text == "New message")
    }

    @Test(
        arguments: [
            ("", PayloadError.malformed(reason: "not JSON")), ("not json", .malformed(reason: "not JSON")),
            ("{}", .malformed(reason: "no field newMessage")),
        ]
    )
    func aPlaintextThatIsNoPayloadIsNamed(_ plaintext: String, _ error: PayloadError) throws {
        #expect(try generic(receiver.receive(map(plaintext: Array(plaintext.utf8)))) == .notAPayload(error))
    }

    @Test func aPayloadMayLeaveAllButItsMessageOut() throws {
        let bare =
            #"{"spaceId":"spc_1","senderId":"\#(sender.publicKey)","newMessage":{"text":"hello"},"unknown":[{}]}"#
        let notification = try message(receiver.receive(map(plaintext: Array(bare.utf8))))
        #expect(notification.title == "New message")
        #expect(notification.body.hasSuffix("…: hello"))
        #expect(notification.groupId == GroupId(chatId: "obj_1").text)
    }

    @Test func otherKindsOfPayloadAreNotGuessedAt() throws {
        var other = payload()
        other.type = 2
        #expect(try generic(receive(other)) == .unsupportedKind(type: 2))
    }

    @Test func theMapIsBoundedBeforeItIsRead() throws {
        var data = try map(payload())
        for index in 0..<NotificationReceiver.maximumFieldCount { data["extra-\(index)"] = "" }
        let count = data.count
        #expect(generic(receiver.receive(data)) == .tooManyFields(limit: 64, found: count))
        data = try map(payload())
        data["gcm.extra"] = String(repeating: "x", count: NotificationReceiver.maximumByteCount)
        guard case .tooLong(16_384, _)? = generic(receiver.receive(data)) else {
            Issue.record("an oversized map was read")
            return
        }
        // The longest plaintext that is read passes; one group of base64 more does not.
        let longest = [UInt8](repeating: 0x20, count: ChatPayload.maximumByteCount)
        #expect(try generic(receiver.receive(map(plaintext: longest))) == .notAPayload(.malformed(reason: "not JSON")))
        let longer = longest + [0x20, 0x20, 0x20]
        #expect(try generic(receiver.receive(map(plaintext: longer))) == .tooLong(limit: 5500, found: 5504))
    }

    @Test func aKeyThatCanNotBeReadIsNamed() throws {
        struct Broken: PayloadKeySource {
            func key(withId id: String) throws(KeyCacheError) -> SymmetricKey? {
                throw .corrupt(path: "p", reason: "r")
            }
            func filing(ofKeyWithId id: String, spaceId: String) throws(KeyCacheError) -> KeyFiling? { nil }
        }
        let broken = NotificationReceiver(keys: Broken())
        #expect(try generic(broken.receive(map(payload()))) == .keyUnavailable(.corrupt(path: "p", reason: "r")))
        struct BrokenFiling: PayloadKeySource {
            let key: SymmetricKey
            func key(withId id: String) -> SymmetricKey? { key }
            func filing(ofKeyWithId id: String, spaceId: String) throws(KeyCacheError) -> KeyFiling? {
                throw .corrupt(path: "f", reason: "r")
            }
        }
        let unbound = NotificationReceiver(keys: BrokenFiling(key: key))
        #expect(try generic(unbound.receive(map(payload()))) == .keyUnavailable(.corrupt(path: "f", reason: "r")))
    }

    @Test func keysFromTheCacheOpenOldNotificationsToo() throws {
        let directory = try KeyDirectory()
        let cache = try KeyCache(directory: directory.path)
        try cache.add(key, spaceId: "spc_1")
        try cache.add(SymmetricKey(), spaceId: "spc_1")
        let notification = try message(NotificationReceiver(keys: cache).receive(map(payload())))
        #expect(notification.text == "hello 👋 <b>")
    }

    @Test func noDescriptionShowsATextOrAName() throws {
        let received = try receive(payload())
        var dumped = ""
        dump(received, to: &dumped)
        for text in ["\(received)", String(reflecting: received), dumped] {
            for secret in ["hello", "alice", "Project", "general"] {
                #expect(!text.contains(secret))
            }
        }
    }

    private func payload(
        spaceName: WireString = "Project", chatName: WireString = "general", chatId: WireString = "obj_1",
        text: WireString = "hello 👋 <b>", senderName: WireString = "alice", senderId: String? = nil,
        attachments: Int = 0, spaceId: WireString = "spc_1", isOneToOne: Bool = false
    ) -> ChatPayload {
        ChatPayload(
            spaceId: spaceId, isOneToOne: isOneToOne, senderId: WireString(senderId ?? sender.publicKey.accountAddress),
            newMessage: ChatPayload.NewMessage(
                chatId: chatId, msgId: "msg_1", spaceName: spaceName, chatName: chatName, senderName: senderName,
                text: text, attachments: Array(repeating: ChatPayload.Attachment(), count: attachments)
            )
        )
    }

    private func map(_ payload: ChatPayload) throws -> [String: String] {
        try map(plaintext: payload.encoded())
    }

    private func map(plaintext: [UInt8]) throws -> [String: String] {
        let sealed = try key.seal(plaintext)
        return [
            "x-any-type": "normal", "x-any-group-id": GroupId(chatId: "obj_1").text, "x-any-key-id": key.keyId,
            "x-any-payload": Data(sealed).base64EncodedString(),
            "x-any-signature": Data(sender.signature(for: sealed)).base64EncodedString(),
            "x-any-title": "the node's words",
        ]
    }

    private func signature(by signer: SigningKey, of data: [String: String]) -> String? {
        data["x-any-payload"].flatMap { Data(base64Encoded: $0) }
            .map { Data(signer.signature(for: $0)).base64EncodedString() }
    }

    private func receive(_ payload: ChatPayload) throws -> ReceivedNotification {
        receiver.receive(try map(payload))
    }

    private func message(_ received: ReceivedNotification) throws -> RenderedNotification {
        guard case .message(let notification) = received else { throw NoMessage(received: received) }
        return notification
    }

    // The group id of a silent notice that nobody signed.
    private func notice(_ received: ReceivedNotification) -> String? {
        guard case .silent(let notice) = received, notice.reading == nil else { return nil }
        return notice.groupId ?? "none"
    }

    private func generic(_ received: ReceivedNotification) -> GenericReason? {
        guard case .generic(let notification) = received else { return nil }
        return notification.reason
    }
}

private struct NoMessage: Error {
    let received: ReceivedNotification
}
