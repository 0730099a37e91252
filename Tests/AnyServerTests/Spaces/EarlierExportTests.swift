import FoundationEssentials
import PushCrypto
import TestSupport
import Testing

@testable import AnyServer

/// Exports that an earlier version wrote (Tests/Exports) are imported as that version did.
@Suite struct EarlierExportTests {
    @Test(arguments: ["garden", "one-to-one", "invites", "batches"]) func isImported(_ name: String) async throws {
        let file = Repository.root.appendingPathComponent("Tests/Exports/\(name).json")
        let limits = JSONLimits(values: 1 << 20)
        let export = try #require(try JSONParser.parse([UInt8](Data(contentsOf: file)), limits: limits).object)
        let id = try #require(export.string("space"))
        let steps = try #require(export.array("steps")).compactMap(\.object)
        #expect(!steps.isEmpty)
        var accounts: [String: TestAccount] = [:]
        let everybody = steps.flatMap { $0.array("views") ?? [] }.compactMap { $0.object?.string("account") }
        for step in steps {
            let lines = try #require(step.array("lines")).compactMap(\.object)
            let views = try #require(step.array("views")).compactMap(\.object)
            // A step that nobody looks at is a batch for everybody.
            for reader in views.isEmpty ? everybody : views.compactMap({ $0.string("account") }) {
                if accounts[reader] == nil { accounts[reader] = try await account(reader) }
                _ = try await accounts[reader]?.store.importLines(lines)
            }
            for view in views {
                let reader = try #require(view.string("account").flatMap { accounts[$0] })
                #expect(try await self.view(of: id, reader, view.string("account") ?? "") == view, "\(name)")
            }
        }
    }

    private func account(_ name: String) async throws -> TestAccount {
        let key = { (name: String) throws in try SigningKey(seed: Digest.sha256(name.utf8)) }
        return try await TestAccount(
            AccountKeys(
                accountKey: try key(name), masterKey: try key(name + " master"), deviceKey: try key(name + " device")
            )
        )
    }

    private func view(of id: String, _ reader: TestAccount, _ name: String) async throws -> JSONObject {
        let row = try await reader.store.space(id)
        var view: JSONObject = [
            "account": .string(name), "status": .string(row.status.rawValue), "ownRole": .string(row.ownRole.rawValue),
        ]
        view["name"] = row.name.map { .string($0) }
        view["encKeyId"] = row.push.map { .string($0.encKeyId) }
        view["members"] = .array(
            try await reader.store.members(of: id).map { member in
                var json = member.json
                // The name that later versions have for the role.
                json["permission"] = .none
                return .object(json)
            })
        let page = try? await reader.store.messages(MessageQuery(limit: 200), in: ChatId.general(of: id), of: id)
        view["messages"] = .array((page?.messages ?? []).map { .string($0.text) })
        return view
    }
}
