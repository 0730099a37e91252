import Glibc
import PushCrypto
import SQLiteStorage
import TestSupport
import Testing

@testable import AnyServer

/// A process that writes to a store is killed at any moment, again and again: what it was told is written stays.
@Suite(.timeLimit(.minutes(5))) struct KillTests {
    private static let variable = "ANYPUSH_STORE_WRITER"

    /// What the writer answers for: the seed of its account key, and the account's directory.
    private struct Task {
        let seed: [UInt8]
        let path: String

        var keys: AccountKeys {
            get throws { AccountKeys(accountKey: try SigningKey(seed: seed), deviceKey: SigningKey()) }
        }

        var text: String { seed.map { String($0) }.joined(separator: ",") + ":" + path }

        init(seed: [UInt8], path: String) {
            (self.seed, self.path) = (seed, path)
        }

        /// The task that our environment gives us, `nil` when we are not the writer.
        init?() {
            guard let value = getenv(KillTests.variable) else { return nil }
            let parts = String(cString: value).split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            self.init(seed: parts[0].split(separator: ",").compactMap { UInt8($0) }, path: String(parts[1]))
        }

        func open() async throws -> AccountStore {
            try await AccountStore.open(
                .account(in: AccountDirectory(path: path)), keys: try keys, now: Timestamp.now, sink: { _ in }
            )
        }
    }

    @Test func whatWasAcknowledgedSurvivesKilling() async throws {
        let folder = try TemporaryDirectory()
        let task = Task(seed: (0..<32).map { _ in UInt8.random(in: 0...255) }, path: folder.path("account"))
        try AccountDirectory(path: task.path).create()
        var acknowledged: [[Substring]] = []
        for round in 0..<5 {
            let process = try ToolProcess(
                test: "KillTests/writer", variables: ["\(Self.variable)=\(task.text)"]
            )
            // Wherever it is then: between two writes or in the middle of one.
            let target = acknowledged.count + [1, 7, 20, 33, 60][round]
            var text = ""
            while acknowledged.count < target {
                let chunk = await process.read()
                try #require(!chunk.isEmpty, "the writer ended by itself")
                text += String(decoding: chunk, as: UTF8.self)
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                acknowledged += lines.dropLast().filter { $0.hasPrefix("ACK ") }.map { $0.split(separator: " ") }
                text = String(lines.last ?? "")
            }
            process.signal(SIGKILL)
            #expect(await process.wait() == 128 + SIGKILL)
            try await check(acknowledged, task)
        }
    }

    /// Everything that was acknowledged is there, and what is there is whole.
    private func check(_ acknowledged: [[Substring]], _ task: Task) async throws {
        let store = try await task.open()
        let rows = Dictionary(uniqueKeysWithValues: try await store.spaces().map { ($0.id, $0) })
        var highest: [String: Int] = [:]
        for words in acknowledged {
            let id = String(words[2])
            let row = try #require(rows[id], "space \(id)")
            let number = try #require(Int(words[3]))
            switch words[1] {
            case "space": #expect(row.author == (try task.keys.accountKey.publicKey))
            case "setting": #expect(row.settings["k\(number)"] == .integer(Int64(number)))
            case "message":
                let chat = ChatId.general(of: id)
                let messages = try await store.messages(MessageQuery(limit: 200), in: chat, of: id).messages
                #expect(messages.first { $0.id == words[4] }?.text == "\(number)")
            case "name": highest[id] = max(highest[id] ?? 0, number)
            case "records":
                let records = try await store.aclRecords(of: id, from: 0, limit: .max)
                #expect(records.count >= number)
            default: Issue.record("\(words)")
            }
        }
        for (id, number) in highest {
            // One more may have been written than there was time to tell.
            let name = try #require(rows[id]?.name.flatMap { Int($0) })
            #expect(name >= number)
        }
        for row in rows.values {
            let records = try await store.aclRecords(of: row.id, from: 0, limit: .max)
            let log = try ACLLog(records: records, account: try task.keys.accountKey, mode: .full)
            #expect(try log.state.pushKeys().receiverKeys == row.push)
            _ = try await store.exportPage(of: row.id)
        }
        await store.close()
    }

    /// The process that is killed. It writes as long as it lives.
    @Test(.enabled(if: Task() != nil)) func writer() async throws {
        let task = try #require(Task())
        let store = try await task.open()
        var number = 0
        while true {
            let id = try await store.createSpace(name: "0").id
            acknowledge("space", id, 0)
            for _ in 0..<4 {
                number += 1
                try await store.patchSettings(of: id, set: JSONObject([("k\(number)", .integer(Int64(number)))]))
                acknowledge("setting", id, number)
                try await store.updateSpace(id, name: "\(number)")
                acknowledge("name", id, number)
                let draft = try ChatDraft(text: "\(number)")
                let sent = try await store.sendMessage(draft, to: ChatId.general(of: id), in: id)
                acknowledge("message", id, number, sent.messageId)
                try await store.rotateReadKey(of: id)
                acknowledge("records", id, try await store.aclRecords(of: id, from: 0, limit: .max).count)
            }
        }
    }

    private func acknowledge(_ kind: String, _ id: String, _ number: Int, _ other: String = "") {
        let line = Array("\nACK \(kind) \(id) \(number) \(other)\n".utf8)
        _ = write(STDOUT_FILENO, line, line.count)
    }
}
