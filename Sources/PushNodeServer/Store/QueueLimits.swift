/// How many notifications may wait, and how many of one sender.
package struct QueueLimits: Hashable, Sendable {
    /// Places of the queue, of all senders together.
    package var places: Int
    /// One sender may have as many places as are free, divided by this.
    package var shareDivisor: Int
    /// How many accepted notifications are remembered.
    package var repeats: RepeatLimits

    /// Limits; see the properties.
    package init(places: Int, shareDivisor: Int, repeats: RepeatLimits) {
        self.places = places
        self.repeats = repeats
        self.shareDivisor = max(shareDivisor, 1)
    }
}

/// Who has how many places of the queue.
///
/// A sender's bound is a part of what is *free*, not of the whole (A. Choudhury and E. Hahne, "Dynamic queue length
/// thresholds", 1998): a fixed part could be multiplied by as many accounts as somebody cares to make, and the queue
/// filled; this way n greedy senders leave free d places of n + d, and whoever has less than they have is let in.
struct QueuePlaces {
    private var bySender: [SenderTag: Int] = [:]
    /// Places taken.
    private(set) var taken = 0

    /// Takes places for a notification.
    ///
    /// - Returns: why there is no room, `nil` when the places are taken.
    mutating func take(_ count: Int, for sender: SenderTag, _ limits: QueueLimits) -> Acceptance? {
        let free = limits.places - taken
        guard count <= free else { return .queueFull }
        let own = bySender[sender, default: 0]
        guard own == 0 || own + count <= free / limits.shareDivisor else { return .shareFull }
        add(count, for: sender)
        return nil
    }

    /// Counts places that are taken already.
    mutating func add(_ count: Int, for sender: SenderTag) {
        bySender[sender, default: 0] += count
        taken += count
    }

    /// Gives places back.
    mutating func give(_ count: Int, of sender: SenderTag) {
        guard let own = bySender[sender] else { return }
        bySender[sender] = own > count ? own - count : nil
        taken -= min(own, count)
    }
}

/// The places that a notification had when it was forgotten.
struct FreedPlaces: Sendable {
    let sender: SenderTag
    let count: Int
}
