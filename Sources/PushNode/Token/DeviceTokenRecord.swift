/// What is kept about the device's token over restarts.
public enum DeviceTokenRecord: Hashable, Sendable {
    /// There is no token, and the node holds none.
    case none
    /// The node is to hold this token.
    case registered(DeviceToken)
    /// The user deleted the token, and the node has not confirmed yet that it forgot it.
    case revoking
}

/// Keeps the ``DeviceTokenRecord``: the file `push-token.json` of an account's folder, or a test's memory.
///
/// The calls are made one after another.
public protocol DeviceTokenPersistence: Sendable {
    /// The record as it was saved last; ``DeviceTokenRecord/none`` when it never was. Called once, before anything else;
    /// it may block for a few milliseconds.
    ///
    /// - Throws: what keeps it from being read.
    func load() throws -> DeviceTokenRecord

    /// Keeps a record in the place of the one before. It survives the loss of power when this returns, and when it
    /// throws the earlier one is still there. What waits for a disk does so on a thread of its own.
    ///
    /// - Throws: what keeps it from being written.
    func save(_ record: DeviceTokenRecord) async throws
}
