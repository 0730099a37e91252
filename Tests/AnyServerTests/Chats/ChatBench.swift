import PushCrypto

@testable import AnyServer

/// Accounts that share a space and pass its exports around.
struct ChatBench {
    let owner: TestAccount
    let others: [TestAccount]
    let spaceId: String

    var chatId: String { ChatId.general(of: spaceId) }
    var all: [TestAccount] { [owner] + others }

    /// - Parameters:
    ///   - roles: what the others may do.
    init(_ roles: SpaceRole...) async throws {
        owner = try await TestAccount()
        spaceId = try await owner.store.createSpace(name: "Space").id
        var others: [TestAccount] = []
        for role in roles {
            let account = try await TestAccount()
            _ = try await owner.store.addMember(account.id, role: role, to: spaceId)
            others.append(account)
        }
        self.others = others
        for account in others { try await account.take(spaceId, from: owner) }
        for account in all { _ = account.events() }
    }

    @discardableResult
    func send(
        _ text: String, by account: TestAccount, replyTo: String? = nil, in chatId: String? = nil
    ) async throws -> ChatWrite {
        let draft = try ChatDraft(text: text, replyTo: replyTo)
        return try await account.store.sendMessage(draft, to: chatId ?? self.chatId, in: spaceId)
    }

    /// What an account sees, oldest first.
    func messages(
        of account: TestAccount, _ query: MessageQuery = MessageQuery(isDescending: false, limit: 1000),
        in chatId: String? = nil
    ) async throws -> [ChatMessage] {
        try await account.store.messages(query, in: chatId ?? self.chatId, of: spaceId).messages
    }

    func texts(of account: TestAccount) async throws -> [String] {
        try await messages(of: account).map(\.text)
    }

    func chat(of account: TestAccount) async throws -> ChatInfo {
        try await account.store.chats(of: spaceId)[0]
    }

    func mention(_ account: TestAccount) -> String { "any://m/\(spaceId)/\(account.id)" }

    /// The lines of an export that carry changes of chats.
    func changeLines(of account: TestAccount) async throws -> [JSONObject] {
        try await account.export(spaceId).filter { $0.string("kind") == "change" }
    }

    func spaceLine() async throws -> JSONObject {
        try await owner.export(spaceId)[0]
    }
}
