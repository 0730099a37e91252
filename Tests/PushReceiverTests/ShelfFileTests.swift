import Glibc
import PushCrypto
import PushReceiver
import SecretFiles
import TestSupport
import Testing

@Suite struct ShelfFileTests {
    let folder: TemporaryDirectory
    let phone = TestPhone()
    var path: String { folder.path("shelf") }
    var file: ShelfFile { ShelfFile(path: path) }

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test func whatWasShownIsNotShownByTheNextProcess() throws {
        let message = try phone.message("a", "1")
        #expect(file.apply(message) == decision(.show(identifier: TestPhone.identifier(message))))
        #expect(file.apply(message) == decision(.nothing))
        #expect(file.shelf.shown == [TestPhone.identifier(message)])
        _ = file.apply(try phone.signed("a", upTo: "1"))
        #expect(file.shelf.shown == [])
        #expect(file.apply(message) == decision(.nothing))
        // Who has signed is remembered too.
        let second = try phone.message("a", "2")
        _ = file.apply(second)
        #expect(file.apply(phone.unsigned("a")) == decision(.nothing))
    }

    @Test func itIsForItsOwnerAndHoldsNoText() throws {
        _ = file.apply(try phone.message("a", "1", text: "a secret"))
        #expect(folder.mode("shelf") == 0o600 && folder.mode("shelf.lock") == 0o600)
        let content = try SecretFile(path: path).read(limit: 1 << 20) ?? []
        #expect(!content.isEmpty && !String(decoding: content, as: UTF8.self).contains("secret"))
        #expect(try folder.names() == ["shelf", "shelf.lock"])
    }

    @Test func theOldestAreForgotten() throws {
        let small = ShelfFile(path: path, capacity: 2)
        let messages = try (0..<9).map { try phone.message("a", "\($0)") }
        for message in messages { _ = small.apply(message) }
        #expect(small.shelf.shown.count <= 4)
        #expect(small.apply(messages[8]) == decision(.nothing))
        let forgotten = small.apply(messages[0])
        #expect(forgotten == decision(.show(identifier: TestPhone.identifier(messages[0]))))
    }

    // Two processes take the same message at once: one shows it.
    @Test func manyAtOnceShowAMessageOnce() async throws {
        let messages = try (0..<5).map { try phone.message("a", "\($0)") }
        let path = path
        let shown = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    messages.count { message in
                        if case .show = ShelfFile(path: path).apply(message).change { true } else { false }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(shown == 5)
        #expect(file.shelf.shown.count == 5)
    }

    @Test func aDamagedFileIsWrittenAnew() throws {
        let message = try phone.message("a", "1")
        for damage in ["", "x", "\u{8}\u{1}\u{22}\u{7f}", String(repeating: "x", count: 5 << 20)] {
            try SecretFile(path: path).replace(with: Array(damage.utf8))
            let decision = file.apply(message)
            #expect(decision.change == .show(identifier: TestPhone.identifier(message)))
            #expect(decision.failure == .damaged)
            #expect(file.apply(message) == self.decision(.nothing))
        }
    }

    @Test func aFileOfNewerSoftwareStaysAsItIs() throws {
        try SecretFile(path: path).replace(with: [0x08, 0x02])
        let message = try phone.message("a", "1")
        for _ in 0..<2 {
            let decision = file.apply(message)
            #expect(decision.change == .show(identifier: TestPhone.identifier(message)))
            #expect(decision.failure == .unsupportedVersion(found: 2))
        }
        #expect(try SecretFile(path: path).read(limit: 10) == [0x08, 0x02])
    }

    @Test(arguments: [FileStep.read, .createTemporary, .write, .synchronize, .publish])
    func aFailureShowsTheMessageAndLeavesTheFile(_ step: FileStep) throws {
        let first = try phone.message("a", "1")
        _ = file.apply(first)
        let second = try phone.message("a", "2")
        let decision = ShelfFile(path: path, fault: Faults(step).fault).apply(second)
        #expect(decision.change == .show(identifier: TestPhone.identifier(second)))
        #expect(decision.failure != nil)
        #expect(!"\(decision.failure.map(String.init(describing:)) ?? "")".isEmpty)
        #expect(file.shelf.shown == [TestPhone.identifier(first)])
    }

    @Test func aLinkIsNotFollowed() throws {
        try folder.write("x", to: "other")
        try #require(symlink(folder.path("other"), path + ".lock") == 0)
        let message = try phone.message("a", "1")
        let decision = file.apply(message)
        #expect(decision.change == .show(identifier: TestPhone.identifier(message)))
        guard case .unwritable = decision.failure else { return _ = Issue.record("no failure") }
        #expect(try folder.text("other") == "x")
    }

    private func decision(_ change: NotificationShelf.Change) -> ShelfFile.Decision {
        ShelfFile.Decision(change: change, failure: nil)
    }
}
