import FoundationEssentials
import Glibc
import PushReceiver

/// Bob's phone: gets what the node's provider delivers, here the spool file, and opens it with the keys that it holds.
final class DemoPhone {
    /// One push message as the provider delivers it.
    struct Delivery: Decodable {
        let token: String
        let data: [String: String]
    }

    let token: String
    let keys: KeyCache
    private let spool: String
    private let watch: Int32
    private var position = 0
    private var arrived: [Delivery] = []
    /// Everything that has come, in order.
    private(set) var inbox: [Delivery] = []

    init(token: String, keyDirectory: String, spool: String) throws {
        self.token = token
        self.spool = spool
        keys = try KeyCache(directory: keyDirectory)
        watch = inotify_init()
        guard watch >= 0, inotify_add_watch(watch, spool, UInt32(IN_MODIFY)) >= 0 else {
            throw ChildProcess.Failure(description: "cannot watch \(spool): \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        close(watch)
    }

    /// What the phone makes of a push message.
    func show(_ delivery: Delivery) -> ReceivedNotification {
        NotificationReceiver(keys: keys).receive(delivery.data)
    }

    /// The next push message, `nil` when none comes in time.
    func next(within seconds: Double) -> Delivery? {
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: .seconds(seconds))
        while true {
            if arrived.isEmpty { readNew() }
            if !arrived.isEmpty {
                let delivery = arrived.removeFirst()
                inbox.append(delivery)
                return delivery
            }
            let left = clock.now.duration(to: deadline) / .milliseconds(1)
            guard left > 0 else { return nil }
            // Woken by the write, not by asking again and again.
            var descriptor = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, Int32(left.rounded(.up))) > 0 else { continue }
            var events = [UInt8](repeating: 0, count: 4096)
            _ = read(watch, &events, events.count)
        }
    }

    private func readNew() {
        guard let content = FileManager.default.contents(atPath: spool), content.count > position else { return }
        // A line that is being written has no end yet, and is read when it has.
        guard let end = content[position...].lastIndex(of: UInt8(ascii: "\n")) else { return }
        for line in content[position...end].split(separator: UInt8(ascii: "\n")) {
            if let delivery = try? JSONDecoder().decode(Delivery.self, from: Data(line)), delivery.token == token {
                arrived.append(delivery)
            }
        }
        position = end + 1
    }
}
