package import ProtoWire
package import PushCrypto

/// Who makes a call, as proven by the handshakes.
package struct Caller: Hashable, Sendable {
    /// The account.
    package let identity: PublicKey
    /// The device.
    package let peerId: PeerId

    /// A caller; see the properties.
    package init(identity: PublicKey, peerId: PeerId) {
        self.identity = identity
        self.peerId = peerId
    }
}

/// A topic whose signature was found good.
package struct TopicKey: Hashable, Sendable {
    /// The raw public half of the space push key, 32 bytes.
    package let spaceKey: [UInt8]
    /// The topic's name.
    package let name: WireString

    /// A topic; see the properties.
    package init(spaceKey: [UInt8], name: WireString) {
        self.spaceKey = spaceKey
        self.name = name
    }
}

/// What registering a space came to.
package enum SpaceCreation: Hashable, Sendable {
    /// The space is registered now.
    case created
    /// It was registered before.
    case exists
    /// The account has registered as many as it may.
    case tooMany
}

/// What became of a device's token.
package enum TokenRegistration: Hashable, Sendable {
    /// The device has it now.
    case registered
    /// The account has as many devices as it may.
    case tooManyDevices
    /// As many other accounts as may have registered the token.
    case tooManyAccounts
}

/// How much a store holds.
public struct StoreStatistics: Hashable, Sendable {
    /// Accounts that have a device or a topic.
    public var accounts = 0
    /// Devices.
    public var devices = 0
    /// Registered spaces.
    public var spaces = 0
    /// Topics that somebody is subscribed to.
    public var topics = 0
    /// Notifications that are not done.
    public var notifications = 0
    /// Deliveries under way or waiting for their next try.
    public var deliveries = 0
    /// Whether the store is still the file at its path. While it is not, callers are refused.
    public var isInPlace = true

    /// Nothing.
    package init() {}
}
