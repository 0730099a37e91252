import Locks
import MachineTime
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import SQLiteStorage

@testable import AnyServer

/// An account whose store keeps notifications, with a machine's time that a test moves.
final class OutboxBench: Sendable {
    let account: TestAccount
    let spaceId: String
    private let store: SystemLock<AccountStore>
    private let moment = SystemLock((uptime: Duration.seconds(100), boot: Optional("first")))
    private let recorded = SystemLock<[AccountEvent]>([])
    private let lastId = SystemLock<Int64>(0)
    private let settings: SystemLock<OutboxSettings>

    /// - Parameters:
    ///   - account: whose store is opened anew.
    ///   - spaceId: a space of it; a new one when `nil`.
    init(
        _ account: TestAccount? = nil, in spaceId: String? = nil, _ change: (inout OutboxSettings) -> Void = { _ in }
    ) async throws {
        let account = if let account { account } else { try await TestAccount() }
        self.account = account
        if let spaceId {
            self.spaceId = spaceId
        } else {
            self.spaceId = try await account.store.createSpace(name: "Garden").id
        }
        store = SystemLock(account.store)
        var settings = OutboxSettings()
        settings.readDelay = { .seconds(3) }
        change(&settings)
        self.settings = SystemLock(settings)
        try await reopen()
    }

    var current: AccountStore { store.withLock { $0 } }
    var outbox: AccountOutbox { AccountOutbox(current) }
    var chatId: String { ChatId.general(of: spaceId) }

    /// Ends the process, as it were, and starts the next.
    ///
    /// - Parameters:
    ///   - maximumPages: how large the store may grow.
    ///   - isOn: whether push is on.
    func reopen(maximumPages: Int? = nil, isOn: Bool = true) async throws {
        await current.close()
        var file = StoreFile.account(in: account.directory)
        file.maximumPages = maximumPages
        let recorded = recorded
        var settings = settings.withLock { $0 }
        settings.now = { [moment] in moment.withLock { MachineMoment(uptime: $0.uptime, boot: $0.boot) } }
        let opened = try await AccountStore.open(
            file, keys: account.keys, outbox: isOn ? settings : nil, now: { 7 },
            sink: { event in recorded.withLock { $0.append(event) } })
        store.withLock { $0 = opened }
        lastId.withLock { $0 = 0 }
    }

    func pass(_ time: Duration) { moment.withLock { $0.uptime += time } }

    /// The machine starts anew.
    func reboot(_ name: String, uptime: Duration) { moment.withLock { $0 = (uptime, name) } }

    @discardableResult
    func send(_ text: String) async throws -> String {
        try await current.sendMessage(try ChatDraft(text: text), to: chatId, in: spaceId).messageId
    }

    /// What became of notifications since the last call.
    func outcomes() -> [NotificationOutcome] {
        recorded.withLock { events in
            defer { events = [] }
            return events.compactMap { if case .notified(let outcome, _) = $0 { outcome } else { nil } }
        }
    }

    /// What waits, whole.
    func waiting(isHurried: Bool = false, _ outcomes: [OutboxOutcome] = []) async throws -> [WaitingNotification] {
        try await page(isHurried: isHurried, outcomes).waiting
    }

    func page(isHurried: Bool = false, _ outcomes: [OutboxOutcome] = []) async throws -> OutboxPage {
        try await outbox.exchange(outcomes, after: 0, limit: 10_000, isHurried: isHurried)
    }

    /// What came since the last call, in words: to whom.
    func take() async throws -> [String] {
        let page = try await outbox.exchange(
            [], after: lastId.withLock { $0 }, limit: 10_000, isHurried: true)
        if let last = page.waiting.last { lastId.withLock { $0 = last.id } }
        return page.waiting.map { waiting in
            guard waiting.notification.kind == .normal else { return "read" }
            let topics = waiting.notification.request.topics?.topics.map(\.topic.string) ?? []
            let mentioned = topics.filter { $0 != "chats" && !$0.contains("/") }.joined(separator: ", ")
            return topics.contains("chats") ? "sent [\(mentioned)]" : "edited [\(mentioned)]"
        }
    }

    /// The keys of the space's notifications.
    func keys() async throws -> SpacePushKeys {
        let records = try await current.aclRecords(of: spaceId, from: 0, limit: .max)
        return try ACLLog(records: records, account: account.keys.accountKey, mode: .full).state.pushKeys()
    }

    /// What a notification says.
    func payload(of waiting: WaitingNotification) async throws -> [UInt8] {
        try await keys().encryptionKey.open(waiting.notification.request.message?.payload ?? [])
    }
}
