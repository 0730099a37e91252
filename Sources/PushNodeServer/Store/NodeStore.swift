package import ProtoWire
package import PushAPI
package import PushCrypto
package import SQLiteStorage

/// Says whether so many topics of an account may be changed; those whose position changes count for an eighth.
package typealias TopicPermit = @Sendable (_ changes: Int) -> Bool

/// What the node keeps: devices, spaces, topics, and the queue of accepted notifications.
///
/// Every method that changes something returns after the change would survive the loss of power, except where it says
/// otherwise, and throws `StoreError` when it was not made.
package protocol NodeStore: Sendable {
    // MARK: Devices

    /// Registers a device's token in the place of its earlier one. The same token under another device of the same account
    /// goes: the app was set up anew there.
    ///
    /// - Parameters:
    ///   - limit: the most devices that an account may have.
    ///   - accountLimit: the most accounts that may have the token.
    /// - Returns: anything but ``TokenRegistration/registered`` with nothing changed.
    func setToken(
        _ token: WireString, platform: Platform, of caller: Caller, at time: NodeTime, limit: Int, accountLimit: Int
    ) async throws(StoreError) -> TokenRegistration

    /// Forgets a device.
    func revokeToken(of caller: Caller) async throws(StoreError)

    // MARK: Spaces

    /// Registers a space.
    ///
    /// - Parameters:
    ///   - limit: the most spaces that an account may register.
    func createSpace(
        _ spaceKey: [UInt8], author: PublicKey, at time: UnixTime, limit: Int
    ) async throws(StoreError) -> SpaceCreation

    /// Forgets a space that this account registered; another's stays.
    func removeSpace(_ spaceKey: [UInt8], author: PublicKey) async throws(StoreError)

    // MARK: Topics

    /// The account's topics, in the order they were given.
    func topics(of account: PublicKey) async throws(StoreError) -> [TopicKey]

    /// Replaces the account's topics; repeated ones count once.
    ///
    /// - Parameter permit: is asked once, before anything is changed.
    /// - Returns: `false`, with nothing changed, when that was not permitted.
    func replaceTopics(
        of account: PublicKey, by topics: [TopicKey], permit: @escaping TopicPermit
    ) async throws(StoreError) -> Bool

    /// Takes topics from the account's.
    ///
    /// - Parameter permit: is asked once, before anything is changed.
    /// - Returns: `false`, with nothing changed, when that was not permitted.
    func removeTopics(
        _ topics: [TopicKey], of account: PublicKey, permit: @escaping TopicPermit
    ) async throws(StoreError) -> Bool

    // MARK: Queue

    /// Queues a notification.
    ///
    /// - Parameters:
    ///   - limits: how many notifications may be queued.
    func accept(_ notification: IncomingNotification, limits: QueueLimits) async throws(StoreError) -> Acceptance

    /// The queued notifications that a lane has not matched to the end, oldest first.
    func waiting(in lane: Platform) async throws(StoreError) -> [QueuedNotification]

    /// Matches the next subscribers of a notification and queues a delivery for each of their devices in the lane. May be
    /// lost with the power, and is then done again.
    ///
    /// - Parameters:
    ///   - limit: about how many devices to match; the devices of one account are not parted.
    func match(_ notification: Int64, in lane: Platform, limit: Int, now: NodeTime) async throws(StoreError) -> Match

    /// Takes deliveries whose next try is due, those of all senders in turn. May be lost with the power, and is then done again.
    func takeDue(in lane: Platform, limit: Int, now: NodeTime) async throws(StoreError) -> DueDeliveries

    /// When the next try of a lane is due, `nil` without any.
    func nextDue(in lane: Platform) async throws(StoreError) -> NodeTime?

    /// Records what became of deliveries. May be lost with the power: they are then made again, which is the only case
    /// besides a crash in which a device gets a notification twice.
    func record(_ results: [DeliveryResult]) async throws(StoreError)

    /// How much is kept.
    func statistics() async throws(StoreError) -> StoreStatistics

    /// Ends the store's use; what was called before is carried out.
    func close() async
}
