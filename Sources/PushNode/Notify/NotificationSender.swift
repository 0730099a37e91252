/// What carries a notification to a push node: ``PushNodeClient``, or a test's stand-in.
public protocol NotificationSender: Sendable {
    /// Makes one attempt.
    ///
    /// - Throws: ``PushNodeError``.
    func send(_ notification: OutgoingNotification) async throws(PushNodeError)
}
