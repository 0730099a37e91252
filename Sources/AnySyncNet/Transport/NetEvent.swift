public import AnySyncWire

/// Something on the network that an operator should know. Holds no key and no peer id.
public enum NetEvent: Hashable, Sendable, CustomStringConvertible {
    /// As many are connected as may be: who was idle for longest went for a newcomer.
    case connectionsFull(limit: Int)
    /// The same for one address.
    case addressFull(String, limit: Int)
    /// The same for one account.
    case accountFull(limit: Int)
    /// As many are connected that have proven nothing as may be: the oldest went for a newcomer.
    case handshakesFull(limit: Int)
    /// The process has hardly any descriptors left, so a connection was closed.
    case descriptorsShort(limit: Int)
    /// Memory for peers is short: who holds the most was closed, or refused.
    case memoryShort(limit: Int)
    /// The credentials of a handshake were refused, by this side or the peer.
    case handshakeRefused(HandshakeFailure, isIncoming: Bool)

    public var description: String {
        switch self {
        case .connectionsFull(let limit):
            "all \(limit) places for connections are taken: connections idle for longest are closed for new ones"
        case .addressFull(let address, let limit):
            "\(address) has \(limit) connections, as many as an address may have: its longest idle ones are closed for new ones"
        case .accountFull(let limit):
            "an account has \(limit) connections, as many as one may have: its longest idle ones are closed for new ones"
        case .handshakesFull(let limit):
            "\(limit) connections have proven nothing yet, as many as may: the oldest are closed for new ones"
        case .descriptorsShort(let limit):
            "this process may have \(limit) files and sockets open, and hardly any is left: raise the limit (ulimit -n)"
        case .memoryShort(let limit):
            "the \(limit) bytes for peers are taken: whoever holds the most is closed"
        case .handshakeRefused(let failure, let isIncoming):
            "\(isIncoming ? "a peer's connection" : "a connection to a peer") was refused in the \(failure)"
        }
    }

    /// Events of one kind say the same thing.
    package enum Kind: Hashable, Sendable {
        case connections, address, account, handshakes, descriptors, memory, refusedHere, refusedThere
    }

    package var kind: Kind {
        switch self {
        case .connectionsFull: .connections
        case .addressFull: .address
        case .accountFull: .account
        case .handshakesFull: .handshakes
        case .descriptorsShort: .descriptors
        case .memoryShort: .memory
        case .handshakeRefused(_, let isIncoming): isIncoming ? .refusedHere : .refusedThere
        }
    }
}
