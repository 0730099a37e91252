import FoundationEssentials
import Locks
public import PushAPI
import PushCrypto

/// Writes notifications to a file instead of sending them: one line of JSON for each device, for tests, for demonstrations
/// and for providers that read a file.
///
/// A line is `{"id":…,"time":…,"platform":…,"data":{…},…,"token":…}`: the notification's number at this node (the same for
/// all devices, and when a line is written again after a crash), the time in ISO 8601, the platform's name, and then what
/// stands in the `message` object of a request to FCM. A reader skips lines that are no JSON: a crash may have cut one short.
///
/// A thread of its own writes, so a disk that hangs holds up nothing else: who gives up waiting is answered at once.
public final class SpoolForwarder: Forwarder {
    /// The name of the file in its folder.
    public static let fileName = "notifications.ndjson"

    public let providerName: ProviderName = "spool"
    private let queue: SpoolQueue
    private let texts: DefaultTexts
    private let clock: any NodeClock
    private let lastSecond = SystemLock<(second: Int64, text: String)?>(nil)

    /// Opens the spool.
    ///
    /// - Parameters:
    ///   - directory: the folder, which must exist; the file in it is ``fileName``.
    ///   - texts: the node's default texts.
    ///   - clock: dates the lines.
    ///   - report: is told when the file can not be written, at most once in ``NodeConfiguration/eventInterval``; what was
    ///     not written is tried again. Returns at once: the spool waits for it.
    /// - Throws: ``SpoolError``.
    public init(
        directory: String, texts: DefaultTexts, clock: any NodeClock = SystemClock(),
        report: @escaping @Sendable (NodeEvent) -> Void = { _ in }
    ) throws(SpoolError) {
        let events = EventThrottle(interval: NodeConfiguration.eventInterval, clock: clock, report: report)
        queue = SpoolQueue(try SpoolFile(path: directory + "/" + Self.fileName)) { events.pass(.spoolFailed($0)) }
        self.texts = texts
        self.clock = clock
    }

    deinit {
        queue.close()
    }

    /// Goes on with what has the file's name now, as after a rotation. Returns at once; without it, the next line does.
    public func reopen() {
        queue.reopen()
    }

    /// A notification as it is written, apart from what differs between devices.
    public struct Message: Sendable {
        fileprivate let message: FCMMessage
    }

    public func message(
        _ content: NotificationContent, for platform: Platform
    ) throws(PayloadFault) -> Message {
        do {
            return Message(message: try FCMMessage(content, for: platform, texts: texts))
        } catch {
            throw PayloadFault(reason: "\(error)")
        }
    }

    public func deliver(_ message: Message, _ delivery: Delivery) async -> DeliveryOutcome {
        await queue.add(line(message.message, delivery))
    }

    private func line(_ message: FCMMessage, _ delivery: Delivery) -> [UInt8] {
        var json = GoJSON(reserving: 512)
        json.raw("{\"id\":")
        json.number(Int(delivery.notification))
        json.raw(",\"time\":")
        json.string(Array(text(clock.calendar).utf8))
        json.raw(",\"platform\":")
        json.string(Array((delivery.platform.name ?? "").utf8))
        json.raw(",")
        message.writeFields(to: &json, token: delivery.token)
        json.raw("}\n")
        return json.bytes
    }

    /// The time in ISO 8601 with milliseconds. The text of a second is made once, for many lines share it.
    private func text(_ time: UnixTime) -> String {
        let (second, milliseconds) = time.milliseconds.quotientAndRemainder(dividingBy: 1000)
        let digits = String(milliseconds + 1000).dropFirst()
        let text = lastSecond.withLock { last in
            if let last, last.second == second { return last.text }
            let date = Date(timeIntervalSince1970: Double(second))
            let text = String(date.formatted(.iso8601).dropLast())
            last = (second, text)
            return text
        }
        return "\(text).\(digits)Z"
    }
}
