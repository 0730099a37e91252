import ProtoWire

/// Counts the topics of a request without building them: a request of two bytes for each topic would take many times its
/// size in memory.
enum TopicCount {
    /// How many topics a request of Subscribe, SubscribeAll, Unsubscribe, Notify or NotifySilent holds: field 1 of all of
    /// them is a list of topics, which may come in parts.
    ///
    /// - Throws: `ProtoError` when the request is malformed as far as that can be seen.
    static func topics(in request: [UInt8]) throws(ProtoError) -> Int {
        var count = 0
        var reader = ProtoReader(request)
        while let field = try reader.nextField() {
            guard field == 1 else {
                try reader.skip()
                continue
            }
            var list = ProtoReader(try reader.slice())
            while let field = try list.nextField() {
                if field == 1 { count += 1 }
                try list.skip()
            }
        }
        return count
    }
}
