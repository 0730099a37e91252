import PushCrypto
import PushReceiver
import Testing

/// Whose word takes notifications back, and how many of them.
@Suite struct SignedReadingTests {
    let phone = TestPhone()

    @Test func anAccountsOwnWordIsRead() throws {
        let received = try phone.signed("a", upTo: "m1", at: 1_700_000_000_000)
        guard case .silent(let notice) = received, let reading = notice.reading else {
            return _ = Issue.record("not read: \(received)")
        }
        #expect(reading.account == phone.account.publicKey)
        #expect(reading.spaceId == "space" && reading.chatId == "a" && reading.lastMessageId == "m1")
        #expect(reading.readAt == 1_700_000_000_000 && reading.groupId == GroupId(chatId: "a").text)
    }

    @Test func nobodyElsesWordCounts() throws {
        let stranger = SigningKey()
        let notices = try [
            // Another member of the space, also in the account's name; another space; a phone that knows no account.
            phone.signed("a", by: phone.member), phone.signed("a", by: stranger, as: phone.account),
            phone.signed("a", by: stranger), phone.signed("a", spaceId: "other"),
            TestPhone(accounts: nil).signed("a"),
        ]
        for received in notices {
            guard case .silent(let notice) = received else { return _ = Issue.record("not silent") }
            #expect(notice.reading == nil)
            #expect(notice.groupId == GroupId(chatId: "a").text)
        }
    }

    @Test func whoEverSignedIsNotSpokenFor() throws {
        var shelf = NotificationShelf()
        let message = try phone.message("a", "1")
        _ = shelf.apply(message, at: 10)
        #expect(shelf.apply(try phone.signed("b", at: 20_000), at: 20) == .nothing)
        // Whoever knows the account and the group id.
        #expect(shelf.apply(phone.unsigned("a"), at: 30) == .nothing)
        #expect(shelf.apply(try phone.signed("a", by: phone.member), at: 30) == .nothing)
        let generic = phone.receive(["x-any-type": "normal", "x-any-group-id": GroupId(chatId: "a").text])
        _ = shelf.apply(generic, at: 30)
        #expect(shelf.apply(phone.unsigned("a"), at: 40) == .nothing, "of whose account it is, nobody knows")
        #expect(shelf.shown.count == 2)
        // Its own word still counts, for both.
        guard case .retract(let identifiers) = shelf.apply(try phone.signed("a", at: 50_000), at: 50) else {
            return _ = Issue.record("nothing was taken back")
        }
        #expect(identifiers.count == 2)
    }

    @Test func anAccountThatNeverSignedIsTakenAtItsNodesWord() throws {
        let reference = TestPhone()
        var shelf = NotificationShelf()
        let message = try reference.message("a", "1")
        _ = shelf.apply(message)
        // Another account of the device does sign.
        _ = shelf.apply(try phone.signed("b"))
        #expect(shelf.apply(reference.unsigned("a")) == .retract(identifiers: [TestPhone.identifier(message)]))
    }

    @Test func whatCameLaterStays() throws {
        var shelf = NotificationShelf()
        let messages = try (1...4).map { try phone.message("a", "\($0)") }
        for (index, message) in messages.enumerated() { _ = shelf.apply(message, at: 100 + Int64(index) * 10) }
        // Read at 115 s, told later: what arrived until then goes.
        #expect(
            shelf.apply(try phone.signed("a", at: 115_000), at: 200)
                == .retract(identifiers: messages[0...1].map(TestPhone.identifier)))
        // The last message that was read goes whenever it arrived here, with all before it.
        #expect(
            shelf.apply(try phone.signed("a", upTo: "3", at: 90_000), at: 200)
                == .retract(identifiers: [TestPhone.identifier(messages[2])]))
        #expect(shelf.shown == [TestPhone.identifier(messages[3])])
        #expect(shelf.apply(try phone.signed("a", upTo: "1", at: 100_000), at: 200) == .nothing)
    }

    @Test func aNoticeWithoutASignatureCountsUpToWhenItWasSent() throws {
        var shelf = NotificationShelf()
        let messages = try (1...2).map { try phone.message("a", "\($0)") }
        _ = shelf.apply(messages[0], at: 100)
        _ = shelf.apply(messages[1], at: 120)
        #expect(
            shelf.apply(phone.unsigned("a"), at: 200, sentAt: 110)
                == .retract(identifiers: [TestPhone.identifier(messages[0])]))
        #expect(
            shelf.apply(phone.unsigned("a"), at: 200) == .retract(identifiers: [TestPhone.identifier(messages[1])]))
    }
}
