import Locks
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import PushNodeServer
import PushReceiver

/// Where a node of a test brings its notifications: what each phone got, in order.
final class PhoneTray: Forwarder {
    private let state = SystemLock<[String: [[String: String]]]>([:])

    func message(_ content: NotificationContent, for platform: Platform) throws(PayloadFault) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: content.data.map { ($0.key.rawValue, String(decoding: $0.value, as: UTF8.self)) }
        )
    }

    func deliver(_ message: [String: String], _ delivery: Delivery) async -> DeliveryOutcome {
        state.withLock { $0[delivery.token.string, default: []].append(message) }
        return .delivered
    }

    /// The data maps that a phone got.
    func data(of token: String) -> [[String: String]] { state.withLock { $0[token] ?? [] } }
}

/// A member's phone: its token, and the keys that the app has seen on space rows.
struct Phone: Sendable {
    let token: String
    let tray: PhoneTray
    private let keys = SystemLock(KeyTable())

    init(token: String, tray: PhoneTray) {
        self.token = token
        self.tray = tray
    }

    /// The app sees a space's row, with its push object.
    func see(_ space: SpacePushKeys, of spaceId: String, by account: PublicKey) {
        let filing = KeyFiling(accounts: [account])
        keys.withLock { $0.file(space.encryptionKey, withId: space.encryptionKeyId, spaceId: spaceId, filing) }
    }

    /// How many notifications came.
    var count: Int { tray.data(of: token).count }

    /// What the phone does about each that came.
    var received: [ReceivedNotification] {
        let receiver = NotificationReceiver(keys: keys.withLock { $0 })
        return tray.data(of: token).map { receiver.receive($0) }
    }

    /// What it shows, line by line; `-` for a silent one.
    var shown: [String] {
        received.map { notification in
            switch notification {
            case .message(let message): "\(message.title): \(message.text)"
            case .generic: GenericNotification.text
            case .silent: "-"
            }
        }
    }
}
