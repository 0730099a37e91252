import ProtoWire

/// The topics of a queued notification as one value of its row: a hundred rows of their own would cost more than all else
/// that accepting it takes.
///
/// Fields of a protobuf message: a space key (1) goes before the names (2) that are of that space. Each topic is in it once.
enum QueuedTopics {
    /// The value of a list of topics.
    static func encoded(_ topics: [TopicKey]) -> [UInt8] {
        var writer = ProtoWriter()
        var known: Set<TopicKey> = []
        var space: [UInt8]?
        for topic in topics where known.insert(topic).inserted {
            if topic.spaceKey != space {
                writer.element(1, topic.spaceKey)
                space = topic.spaceKey
            }
            writer.element(2, topic.name.bytes)
        }
        return writer.bytes
    }

    /// The topics of a value. What follows damage is left out: the others still get the notification.
    static func decoded(_ bytes: [UInt8]) -> [TopicKey] {
        var topics: [TopicKey] = []
        var space: [UInt8] = []
        var reader = ProtoReader(bytes[...])
        do throws(ProtoError) {
            while let field = try reader.nextField() {
                switch field {
                case 1: space = try reader.bytes()
                case 2: topics.append(TopicKey(spaceKey: space, name: try reader.string()))
                default: try reader.skip()
                }
            }
        } catch {
            return topics
        }
        return topics
    }
}
