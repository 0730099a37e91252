import AnySyncNet
import PushCrypto

/// A device: an account on a peer.
package struct DeviceKey: Hashable, Sendable {
    private let account: Bytes32
    private let peer: Bytes32

    /// The device of a caller.
    package init(_ caller: Caller) {
        self.init(account: caller.identity.rawRepresentation, peer: caller.peerId.publicKey.rawRepresentation)
    }

    /// - Parameters:
    ///   - account: the account's public key, 32 bytes.
    ///   - peer: the device's, 32 bytes.
    init(account: [UInt8], peer: [UInt8]) {
        self.account = Bytes32(account)
        self.peer = Bytes32(peer)
    }
}
