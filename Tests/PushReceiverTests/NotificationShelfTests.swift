import PushCrypto
import PushReceiver
import Testing

@Suite struct NotificationShelfTests {
    let phone = TestPhone()

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

    @Test func anEarlierVersionIsASecondDelivery() throws {
        var shelf = NotificationShelf()
        let first = try message("chat", "1")
        let edited = try message("chat", "1", text: "edited")
        _ = shelf.apply(first)
        _ = shelf.apply(edited)
        for version in [first, edited] { #expect(shelf.apply(version) == .nothing) }
        for edit in 0..<100 { _ = shelf.apply(try message("chat", "1", text: "\(edit)")) }
        #expect(shelf.apply(try message("chat", "1", text: "99")) == .nothing)
    }

    @Test func whatIsAWeekOlderThanTheNewestIsNotShown() throws {
        let week = NotificationShelf.horizon
        var shelf = NotificationShelf()
        let now: Int64 = 100_000_000
        _ = shelf.apply(try message("chat", "old"), at: now - week - 2)
        _ = shelf.apply(try message("chat", "new"), at: now, sentAt: now - 1)
        #expect(shelf.apply(try message("chat", "late"), at: now, sentAt: now - week - 2) == .nothing)
        let timely = try message("other", "1")
        #expect(shelf.apply(timely, at: now, sentAt: now - week) == .show(identifier: identifier(timely)))
        // An edit of what was shown that long ago is no better.
        #expect(shelf.apply(try message("chat", "old", text: "edited"), at: now) == .nothing)
        // Without a word on when it was sent, it is as old as its arrival.
        let undated = try message("chat", "2")
        #expect(shelf.apply(undated, at: now) == .show(identifier: identifier(undated)))
    }

    @Test func aClockThatWasAheadHidesNothing() throws {
        var shelf = NotificationShelf()
        _ = shelf.apply(try message("chat", "1"), at: .max, sentAt: .max)
        let next = try message("chat", "2")
        #expect(shelf.apply(next, at: 1_000, sentAt: 999) == .show(identifier: identifier(next)))
        let earliest = try message("chat", "3")
        #expect(shelf.apply(earliest, at: .min, sentAt: .min) == .show(identifier: identifier(earliest)))
    }

    @Test func readingAChatTakesItsNotificationsBack() throws {
        var shelf = NotificationShelf()
        let messages = try [message("a", "1"), message("b", "1"), message("a", "2")]
        for message in messages { _ = shelf.apply(message) }
        #expect(
            shelf.apply(phone.unsigned("a"))
                == .retract(identifiers: [identifier(messages[0]), identifier(messages[2])])
        )
        #expect(shelf.shown == [identifier(messages[1])])
        #expect(shelf.apply(phone.unsigned("a")) == .nothing)
        #expect(shelf.apply(phone.receive(["x-any-type": "silent"])) == .nothing)
        #expect(shelf.apply(phone.unsigned("unknown")) == .nothing)
        // A late second delivery of what was read stays away; a new message does not.
        #expect(shelf.apply(messages[0]) == .nothing)
        let later = try message("a", "3")
        #expect(shelf.apply(later) == .show(identifier: identifier(later)))
    }

    @Test func genericOnesAreOneForEachGroup() {
        var shelf = NotificationShelf()
        let received = phone.receive(["x-any-type": "normal", "x-any-group-id": "g", "x-any-payload": "AAAA"])
        let other = phone.receive(["x-any-type": "normal", "x-any-payload": "AAAA"])
        #expect(shelf.apply(received) == .show(identifier: "generic/g"))
        #expect(shelf.apply(received) == .show(identifier: "generic/g"))
        #expect(shelf.apply(other) == .show(identifier: "generic/"))
        let silent = phone.receive(["x-any-type": "silent", "x-any-group-id": "g"])
        #expect(shelf.apply(silent) == .retract(identifiers: ["generic/g"]))
        #expect(shelf.apply(received) == .show(identifier: "generic/g"))
        #expect(shelf.shown == ["generic/g", "generic/"])
    }

    @Test func theOldestAreForgotten() throws {
        var shelf = NotificationShelf(capacity: 4)
        let messages = try (0..<20).map { try message("chat", "\($0)") }
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
        _ chat: String, _ id: String, text: String = "text", signer: SigningKey? = nil
    ) throws -> ReceivedNotification {
        try phone.message(chat, id, text: text, signer: signer)
    }

    private func identifier(_ received: ReceivedNotification) -> String { TestPhone.identifier(received) }
}
