import FoundationEssentials
import PushCrypto
import PushReceiver

/// Bob's phone: gets what the node's provider delivers, here the spool file, and opens it with the keys that it holds.
final class DemoPhone {
    /// One push message as the provider delivers it.
    struct Delivery: Decodable {
        /// The same when a node that died after the delivery, and before it had noted it, delivers once more.
        let id: Int
        let token: String
        let data: [String: String]
    }

    let token: String
    private let keys: KeyCache
    private let spool: String
    private let watch: FileWatch
    private let shelf: ShelfFile
    private var position = 0
    private var seen: Set<Int> = []
    private var arrived: [Delivery] = []
    /// Everything that has come, in order.
    private(set) var inbox: [Delivery] = []

    init(token: String, keyDirectory: String, spool: String) throws {
        self.token = token
        self.spool = spool
        keys = try KeyCache(directory: keyDirectory)
        shelf = ShelfFile(path: keyDirectory + "/shelf")
        watch = try FileWatch(spool)
    }

    /// Files the keys of a space row, as an app does with every row that it sees.
    func remember(_ row: ReceiverKeys, spaceId: String, account: String) throws {
        _ = try keys.add(row, spaceId: spaceId, account: PublicKey(accountAddress: account))
    }

    /// What the phone makes of a push message.
    func open(_ delivery: Delivery) -> ReceivedNotification {
        NotificationReceiver(keys: keys).receive(delivery.data)
    }

    /// Opens a push message and shows it, or takes back what it says was read.
    func show(_ delivery: Delivery) -> NotificationShelf.Change {
        shelf.apply(open(delivery)).change
    }

    /// The next push message, `nil` when none comes in time.
    func next(within seconds: Double) -> Delivery? {
        let next = watch.first(within: seconds) { () -> Delivery? in
            if arrived.isEmpty { readNew() }
            return arrived.isEmpty ? nil : arrived.removeFirst()
        }
        if let next { inbox.append(next) }
        return next
    }

    private func readNew() {
        guard let content = FileManager.default.contents(atPath: spool), content.count > position else { return }
        // A line that is being written has no end yet, and is read when it has.
        guard let end = content[position...].lastIndex(of: UInt8(ascii: "\n")) else { return }
        for line in content[position...end].split(separator: UInt8(ascii: "\n")) {
            guard
                let delivery = try? JSONDecoder().decode(Delivery.self, from: Data(line)), delivery.token == token,
                seen.insert(delivery.id).inserted
            else { continue }
            arrived.append(delivery)
        }
        position = end + 1
    }
}
