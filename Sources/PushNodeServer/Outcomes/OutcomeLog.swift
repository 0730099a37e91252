import Locks
import PushAPI

/// What became of the last notifications to each device, for the device's own server to ask.
///
/// In memory alone: an outcome is of use for minutes, and a write for each would cost the lanes as much as the delivery.
/// It holds no token, no topic and no content. When there is no room, the device goes that nothing was brought to for
/// longest.
package final class OutcomeLog: Sendable {
    /// What became of one notification.
    struct Entry: Hashable, Sendable {
        /// Counts the device's notifications since the node's start.
        let number: UInt64
        fileprivate let delivery: Int64
        /// When it was last tried.
        var time: NodeTime
        let platform: Platform
        let provider: ProviderName
        var outcome: OutcomeClass
        /// How often it was tried.
        var tries: UInt32
    }

    fileprivate struct Device {
        var next: UInt64 = 1
        var entries: [Entry] = []
        /// Where the device stands in the order of use.
        var use: UInt64 = 0
    }

    fileprivate struct State {
        var devices: [DeviceKey: Device] = [:]
        /// Which device was used when, oldest first from `first`; those used again since stand there twice.
        var uses: [(use: UInt64, device: DeviceKey)] = []
        var first = 0
        var nextUse: UInt64 = 1
    }

    /// How many notifications of a device are kept.
    static let entriesPerDevice = 8

    private let capacity: Int
    private let state = SystemLock(State())
    /// When the log began.
    let beginning: NodeTime

    /// - Parameters:
    ///   - capacity: devices at once, at least 1; one takes up to a kilobyte.
    ///   - now: when it begins.
    package init(capacity: Int, now: NodeTime) {
        self.capacity = max(capacity, 1)
        beginning = now
    }

    /// Takes note of what came of a try. Tries of one delivery are one entry.
    func note(_ outcome: OutcomeClass, of delivery: Delivery, by provider: ProviderName, at now: NodeTime) {
        guard let key = delivery.device else { return }
        let tries = UInt32(clamping: delivery.attempts + 1)
        state.withLock { state in
            var device = state.devices.removeValue(forKey: key) ?? Device()
            if let index = device.entries.lastIndex(where: { $0.delivery == delivery.id }) {
                device.entries[index].time = now
                device.entries[index].outcome = outcome
                device.entries[index].tries = tries
            } else {
                if device.entries.count == Self.entriesPerDevice { device.entries.removeFirst() }
                device.entries.append(
                    Entry(
                        number: device.next, delivery: delivery.id, time: now, platform: delivery.platform,
                        provider: provider, outcome: outcome, tries: tries))
                device.next += 1
            }
            // Its place in the order is given up with it: room is made among the others.
            state.makeRoom(capacity)
            state.use(&device, key)
            state.devices[key] = device
        }
    }

    /// What is known of a device, oldest first.
    func entries(of device: DeviceKey) -> [Entry] {
        state.withLock { $0.devices[device]?.entries ?? [] }
    }

    /// How many devices something is known of.
    var count: Int { state.withLock { $0.devices.count } }
}

extension OutcomeLog.State {
    fileprivate mutating func use(_ device: inout OutcomeLog.Device, _ key: DeviceKey) {
        device.use = nextUse
        uses.append((nextUse, key))
        nextUse += 1
    }

    /// Lets go of the device that was used longest ago, until there is room for one more.
    fileprivate mutating func makeRoom(_ capacity: Int) {
        while devices.count >= capacity, first < uses.count {
            let (use, key) = uses[first]
            first += 1
            if devices[key]?.use == use { devices[key] = nil }
        }
        // What was used again since takes no room for long.
        guard uses.count > 2 * capacity + 64 else { return }
        let current = uses[first...].filter { devices[$0.device]?.use == $0.use }
        (uses, first) = (current, 0)
    }
}
