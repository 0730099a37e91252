public import AnySyncNet

/// What a ``PushAccount`` is doing and has done since it was started, for status pages and `any push doctor`.
public struct PushAccountStatus: Sendable {
    /// Why push is off; `nil` when it is on.
    public var disabledReason: PushDisabledReason?
    /// The node that is configured.
    public var node: PushNodeLocation?
    /// Why only encrypted kinds of connection are used with the node; `nil` when bare yamux may be.
    public var encryptedOnly: EncryptionReason?
    /// What runs; `nil` while push is off, not started yet, or stopped.
    public var activity: Activity?

    /// The parts of a running account.
    public struct Activity: Sendable {
        /// The connection to the node and the calls over it.
        public var client: PushNodeClient.Status
        /// Notifications on their way to the node.
        public var queue: NotifyQueue.Status
        /// What became of the account's messages, edits and reads.
        public var hooks: HookStatus
        /// How the topics are kept in step.
        public var reconciler: ReconcileStatus
        /// The device's token.
        public var token: DeviceTokenStatus
    }

    /// Whether push is on.
    public var isEnabled: Bool { disabledReason == nil }

    /// What an operator should know of the connection; `nil` when there is none or all is well.
    public var connectionWarning: String? {
        activity?.client.warning
    }
}
