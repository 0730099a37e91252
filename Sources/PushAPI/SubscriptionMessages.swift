public import ProtoWire

/// A message with nothing but a list of topics: the requests of Subscribe, Unsubscribe and SubscribeAll, and the answer to
/// Subscriptions, whose topics have no signatures.
public struct TopicsMessage: PushMessage {
    /// The topics. `nil` when the field is absent, which makes the reference node crash: always send it, even empty.
    public var topics: Topics?

    /// A message; see the property.
    public init(topics: Topics?) {
        self.topics = topics
    }

    public init(bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init(topics: nil)
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            switch field {
            case 1:
                var merged = topics ?? Topics()
                try merged.merge(try reader.slice())
                topics = merged
            default: try reader.skip()
            }
        }
    }

    public func write(to writer: inout ProtoWriter) {
        if let topics { writer.message(1) { topics.write(to: &$0) } }
    }
}

/// The request of Subscriptions: empty on the wire.
public typealias SubscriptionsRequest = Ok
