public import AnySyncNet
public import SQLiteStorage

/// Why a push node can not start.
public enum NodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store can not be used.
    case store(StoreError)
    /// The image URL of the default texts is none that FCM takes.
    case invalidImageURL(String)
    /// The default texts leave too little room in a provider's message for a payload, in bytes.
    case textsTooLong(limit: Int, found: Int)
    /// No platform has a forwarder.
    case noForwarder
    /// An address can not be bound.
    case cannotListen(TransportError)
    /// The system does not give what the network needs.
    case cannotStart(reason: String)

    public var description: String {
        switch self {
        case .store(let error): error.description
        case .invalidImageURL(let url):
            "the default image URL \"\(url)\" is not valid; give an absolute URL, or none"
        case .textsTooLong(let limit, let found):
            "the default title, body and image URL have \(found) bytes together, the limit is \(limit); shorten them"
        case .noForwarder: "no forwarder is configured, so no notification could be delivered; configure one"
        case .cannotListen(let error): "cannot listen: \(error)"
        case .cannotStart(let reason): "cannot start the network: \(reason)"
        }
    }
}
