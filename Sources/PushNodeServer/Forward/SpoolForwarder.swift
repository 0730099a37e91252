import FoundationEssentials
import PushCrypto
public import PushNode
import SQLiteStorage

/// Writes notifications to a file instead of sending them: one line of JSON for each device, for tests, for demonstrations
/// and for providers that read a file.
///
/// A line is `{"id":…,"time":…,"platform":…,"data":{…},…,"token":…}`: the notification's number at this node (the same for
/// all devices, and when a line is written again after a crash), the time in ISO 8601, the platform's name, and then what
/// stands in the `message` object of a request to FCM. A reader skips lines that are no JSON: a crash may have cut one short.
public actor SpoolForwarder: Forwarder {
    /// The name of the file in its folder.
    public static let fileName = "notifications.ndjson"

    private struct Line {
        let bytes: [UInt8]
        let continuation: CheckedContinuation<DeliveryOutcome, Never>
    }

    private let executor = BlockingExecutor(label: "anypush.spool")
    private let file: SpoolFile
    private let texts: DefaultTexts
    private let clock: any NodeClock
    private let report: @Sendable (SpoolError) -> Void
    private var pending: [Line] = []
    private var lastSecond: (second: Int64, text: String)?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Opens the spool.
    ///
    /// - Parameters:
    ///   - directory: the folder, which must exist; the file in it is ``fileName``.
    ///   - texts: the node's default texts.
    ///   - clock: dates the lines.
    ///   - report: is told when the file can not be written; what was not is tried again.
    /// - Throws: ``SpoolError``.
    public init(
        directory: String, texts: DefaultTexts, clock: any NodeClock = SystemClock(),
        report: @escaping @Sendable (SpoolError) -> Void = { _ in }
    ) throws(SpoolError) {
        file = try SpoolFile(path: directory + "/" + Self.fileName)
        self.texts = texts
        self.clock = clock
        self.report = report
    }

    /// A notification as it is written, apart from what differs between devices.
    public struct Message: Sendable {
        fileprivate let message: FCMMessage
    }

    public nonisolated func message(
        _ content: NotificationContent, for platform: Platform
    ) throws(PayloadFault) -> Message {
        do {
            return Message(message: try FCMMessage(content, for: platform, texts: texts))
        } catch {
            throw PayloadFault(reason: "\(error)")
        }
    }

    public func deliver(_ message: Message, _ delivery: Delivery) async -> DeliveryOutcome {
        let line = line(message.message, delivery)
        return await withCheckedContinuation { continuation in
            pending.append(Line(bytes: line, continuation: continuation))
            // Deliveries that are in the executor's queue by now come before the write, and so share its wait for the disk.
            if pending.count == 1 { executor.add { self.assumeIsolated { $0.writePending() } } }
        }
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

    private func writePending() {
        let lines = pending
        pending = []
        var written = lines.count
        do throws(SpoolError) {
            written = try file.append(lines.map(\.bytes), report: report)
        } catch {
            report(error)
            written = 0
        }
        for (index, line) in lines.enumerated() {
            line.continuation.resume(returning: index < written ? .delivered : .retry(after: nil))
        }
    }

    /// The time in ISO 8601 with milliseconds. The text of a second is made once, for many lines share it.
    private func text(_ time: UnixTime) -> String {
        let (second, milliseconds) = time.milliseconds.quotientAndRemainder(dividingBy: 1000)
        if lastSecond?.second != second {
            let date = Date(timeIntervalSince1970: Double(second))
            lastSecond = (second, String(date.formatted(.iso8601).dropLast()))
        }
        let digits = String(milliseconds + 1000).dropFirst()
        return "\(lastSecond?.text ?? "").\(digits)Z"
    }
}
