import FoundationEssentials
import ProtoWire
import PushCrypto
import PushReceiver
import Testing

@Suite struct NotificationShelfTests {
    let sender = SigningKey()
    let key = SymmetricKey()

    @Test func aSecondDeliveryIsNotShown() throws {
        var shelf = NotificationShelf()
        let message = try message("chat", "1")
        #expect(shelf.apply(message) == .show(identifier: identifier(message)))
        #expect(shelf.apply(message) == .nothing)
        // Sealed anew, as a sender's second try may be.
        #expect(shelf.apply(try self.message("chat", "1")) == .nothing)
        #expect(shelf.shown == [identifier(message)])
    }

    @Test func anEditTakesThePlaceOfTheMessage() throws {
        var shelf = NotificationShelf()
        let first = try message("chat", "1")
        let edited = try message("chat", "1", text: "edited")
        #expect(identifier(first) == identifier(edited))
        _ = shelf.apply(first)
        #expect(shelf.apply(edited) == .show(identifier: identifier(first)))
        #expect(shelf.shown.count == 1)
    }

    @Test func anothersMessageOfTheSameIdHidesNothing() throws {
        var shelf = NotificationShelf()
        let genuine = try message("chat", "1")
        let other = try message("chat", "1", signer: SigningKey())
        #expect(shelf.apply(other) == .show(identifier: identifier(other)))
        #expect(shelf.apply(genuine) == .show(identifier: identifier(genuine)))
        #expect(shelf.shown == [identifier(other), identifier(genuine)])
    }

    @Test func readingAChatTakesItsNotificationsBack() throws {
        var shelf = NotificationShelf()
        let messages = try [message("a", "1"), message("b", "1"), message("a", "2")]
        for message in messages { _ = shelf.apply(message) }
        let group = GroupId(chatId: "a").text
        #expect(
            shelf.apply(.silent(groupId: group))
                == .retract(identifiers: [identifier(messages[0]), identifier(messages[2])])
        )
        #expect(shelf.shown == [identifier(messages[1])])
        #expect(shelf.apply(.silent(groupId: group)) == .nothing)
        #expect(shelf.apply(.silent(groupId: nil)) == .nothing)
        #expect(shelf.apply(.silent(groupId: "unknown")) == .nothing)
        // A late second delivery of what was read stays away; a new message does not.
        #expect(shelf.apply(messages[0]) == .nothing)
        let later = try message("a", "3")
        #expect(shelf.apply(later) == .show(identifier: identifier(later)))
    }

    @Test func genericOnesAreOneForEachGroup() {
        var shelf = NotificationShelf()
        let receiver = NotificationReceiver(keys: KeyTable())
        let received = receiver.receive(["x-any-type": "normal", "x-any-group-id": "g", "x-any-payload": "AAAA"])
        let other = receiver.receive(["x-any-type": "normal", "x-any-payload": "AAAA"])
        #expect(shelf.apply(received) == .show(identifier: "generic/g"))
        #expect(shelf.apply(received) == .show(identifier: "generic/g"))
        #expect(shelf.apply(other) == .show(identifier: "generic/"))
        #expect(shelf.apply(.silent(groupId: "g")) == .retract(identifiers: ["generic/g"]))
        #expect(shelf.apply(received) == .show(identifier: "generic/g"))
        #expect(shelf.shown == ["generic/g", "generic/"])
    }

    @Test func theOldestAreForgotten() throws {
        var shelf = NotificationShelf(capacity: 4)
        let messages = try (0..<20).map { try message("chat", WireString("\($0)")) }
        for (index, message) in messages.enumerated() {
            #expect(shelf.apply(message) == .show(identifier: identifier(message)))
            // At least the newest four are remembered, at most eight.
            for recent in messages[max(0, index - 3)...index] { #expect(shelf.apply(recent) == .nothing) }
            #expect(shelf.shown.count <= 8)
        }
        #expect(shelf.apply(messages[0]) == .show(identifier: identifier(messages[0])))
        var smallest = NotificationShelf(capacity: -1)
        for message in messages { _ = smallest.apply(message) }
        #expect(smallest.shown.count <= 2)
    }

    private func message(
        _ chat: WireString, _ id: WireString, text: WireString = "text", signer: SigningKey? = nil
    ) throws -> ReceivedNotification {
        let signer = signer ?? sender
        let payload = ChatPayload(
            spaceId: "space", isOneToOne: false, senderId: WireString(signer.publicKey.accountAddress),
            newMessage: ChatPayload.NewMessage(
                chatId: chat, msgId: id, spaceName: "s", chatName: "c", senderName: "n", text: text
            )
        )
        let sealed = try key.seal(payload.encoded())
        return NotificationReceiver(keys: KeyTable([key.keyId: key], spaceId: "space")).receive([
            "x-any-type": "normal", "x-any-key-id": key.keyId, "x-any-payload": Data(sealed).base64EncodedString(),
            "x-any-signature": Data(signer.signature(for: sealed)).base64EncodedString(),
        ])
    }

    private func identifier(_ received: ReceivedNotification) -> String {
        guard case .message(let message) = received else { return "no message" }
        return message.identifier
    }
}
