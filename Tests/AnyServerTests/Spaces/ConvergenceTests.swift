import PushCrypto
import Testing

@testable import AnyServer

/// Random work on stores that exchange exports in any order: in the end they say the same, and whoever was removed
/// reads nothing that came after.
@Suite(.timeLimit(.minutes(5))) struct ConvergenceTests {
    @Test(arguments: 0..<12) func storesThatHaveSeenTheSameSayTheSame(_ seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        // The owner keeps the log; the others write details. The last one comes and goes.
        let owner = try await TestAccount()
        let writers = [try await TestAccount(), try await TestAccount()]
        let guest = try await TestAccount()
        let all = [owner] + writers + [guest]
        let id = try await owner.store.createSpace(name: "start").id
        for writer in writers { _ = try await owner.store.addMember(writer.id, to: id) }
        for writer in writers { try await writer.take(id, from: owner) }
        var isGuestIn = false
        var removals: [String] = []
        var secrets: Set<String> = []
        for step in 0..<30 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                try await owner.store.rotateReadKey(of: id)
            case 1 where isGuestIn:
                try await owner.store.removeMember(guest.id, from: id)
                removals.append(try #require(try await owner.store.space(id).push?.encKeyId))
                isGuestIn = false
            case 1:
                _ = try await owner.store.addMember(guest.id, to: id)
                isGuestIn = true
            case 2...5:
                let author = try #require(all.randomElement(using: &random))
                let text = "\(seed).\(step)"
                // Whoever does not know the space, or was put out of it, can not.
                switch Int.random(in: 0..<4, using: &random) {
                case 3:
                    // Under the key of now; who writes is told apart by the text.
                    _ = try? await author.store.sendMessage(ChatDraft(text: text), to: ChatId.general(of: id), in: id)
                case 0: try? await author.store.updateSpace(id, name: text)
                case 1: try? await author.store.updateSpace(id, description: text)
                default: try? await author.store.updateSpace(id, name: text, iconCid: text)
                }
            default:
                let from = try #require(all.randomElement(using: &random))
                let to = try #require(all.randomElement(using: &random))
                try await exchange(id, from, to)
                try await expectNothingLater(id, guest)
            }
            if !isGuestIn, Int.random(in: 0..<5, using: &random) == 0 {
                let text = "secret-\(seed)-\(step)-end"
                _ = try await owner.store.sendMessage(ChatDraft(text: text), to: ChatId.general(of: id), in: id)
                secrets.insert(text)
            } else if isGuestIn {
                // Who is let in gets the keys of all that was.
                secrets = []
            }
        }
        // Everybody hears of everything, in whatever order.
        for _ in 0..<2 {
            for from in all.shuffled(using: &random) {
                for to in all.shuffled(using: &random) { try await exchange(id, from, to) }
            }
        }
        let truth = try await owner.store.space(id)
        let export = try await owner.export(id)
        for writer in writers {
            let row = try await writer.store.space(id)
            #expect((row.name, row.description, row.iconCid) == (truth.name, truth.description, truth.iconCid))
            #expect(row.push == truth.push && row.status == .active)
            #expect(Set(try await writer.export(id)) == Set(export))
            #expect(try await writer.store.members(of: id).map(\.status) == owner.store.members(of: id).map(\.status))
        }
        try await expectNothingLater(id, guest)
        if let row = try? await guest.store.space(id), !isGuestIn {
            #expect(row.status == .deleted && row.ownRole == .none && row.push?.encKeyId != truth.push?.encKeyId)
            #expect(!removals.contains(row.push?.encKeyId ?? ""))
        }
        for writer in writers { #expect(try await texts(id, writer) == texts(id, owner)) }
        #expect(secrets.isSubset(of: try await texts(id, owner)))
        // Not in any form that its file could give away.
        await guest.store.close()
        let file = String(decoding: try guest.folder.bytes("account/sdk/account.db"), as: UTF8.self)
        for secret in secrets { #expect(!file.contains(secret)) }
    }

    private func exchange(_ id: String, _ from: TestAccount, _ to: TestAccount) async throws {
        guard (try? await from.store.space(id)) != nil else { return }
        let lines = try await from.export(id)
        do {
            _ = try await to.store.importLines(lines)
            #expect(try await to.store.importLines(lines) == .init(spaceId: id))
        } catch SpaceError.notMember {
            #expect((try? await to.store.space(id)) == nil)
        }
    }

    /// What the messages say that the account has.
    private func texts(_ id: String, _ account: TestAccount) async throws -> Set<String> {
        let query = MessageQuery(limit: 200)
        return Set(
            try await account.store.messages(query, in: ChatId.general(of: id), of: id).messages.map(\.text)
        )
    }

    /// While the account is out, it has no read key that was made since.
    private func expectNothingLater(_ id: String, _ account: TestAccount) async throws {
        guard let row = try? await account.store.space(id), row.status == .deleted else { return }
        let records = try await account.store.aclRecords(of: id, from: 0, limit: .max)
        let state = try ACLLog(records: records, account: account.keys.accountKey, mode: .full).state
        #expect(throws: ACLKeyUnavailable.removed) { try state.currentReadKey() }
        #expect(state.generations.last?.readKey == nil)
        #expect(throws: ACLKeyUnavailable.removed) { try state.pushKeys() }
    }
}
