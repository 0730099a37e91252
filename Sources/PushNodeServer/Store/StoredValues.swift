package import AnySyncNet
package import ProtoWire
package import PushCrypto

/// Who makes a call, as proven by the handshakes.
package struct Caller: Hashable, Sendable {
    /// The account.
    package let identity: PublicKey
    /// The device.
    package let peerId: PeerId
    /// Where it calls from; `nil` when that is not known.
    package let address: AddressGroup?

    /// A caller; see the properties.
    package init(identity: PublicKey, peerId: PeerId, address: AddressGroup? = nil) {
        self.identity = identity
        self.peerId = peerId
        self.address = address
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

    /// The bytes of key and name together.
    package var byteCount: Int { spaceKey.count + name.bytes.count }

    /// The name behind its last slash.
    var ending: ArraySlice<UInt8> {
        name.bytes.lastIndex(of: UInt8(ascii: "/")).map { name.bytes[($0 + 1)...] } ?? name.bytes[...]
    }

    /// The account that the topic stands for, as `<identity>` and `chats/<groupId>/<identity>` do (protocol.md §3).
    var account: PublicKey? {
        // Every account's address begins so: what does not is not worth decoding.
        guard ending.first == UInt8(ascii: "A") else { return nil }
        return try? PublicKey(accountAddress: String(decoding: ending, as: UTF8.self))
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
