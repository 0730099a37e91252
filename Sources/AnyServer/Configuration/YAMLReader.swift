/// Reads one YAML document of mappings, sequences and texts, bounded in all that it can ask for.
struct YAMLReader {
    /// The longest text, in bytes.
    static let maximumByteCount = 1 << 20
    static let maximumDepth = 16
    static let maximumValueCount = 20_000

    private let events: YAMLEventReader
    private var valueCount = 0

    /// The document in `text`.
    ///
    /// - Returns: `nil` when there is nothing in it.
    static func read(_ text: [UInt8]) throws(YAMLError) -> YAMLNode? {
        guard let events = YAMLEventReader(text) else {
            throw YAMLError(reason: .syntax("out of memory"), mark: YAMLMark(line: 1, column: 1))
        }
        var reader = YAMLReader(events: events)
        return try reader.document()
    }

    private init(events: YAMLEventReader) {
        self.events = events
    }

    private mutating func document() throws(YAMLError) -> YAMLNode? {
        var document: YAMLNode?
        var isFirst = true
        while true {
            let event = try events.next()
            switch event.kind {
            case .streamEnd: return document
            case .documentStart:
                guard isFirst else { throw YAMLError(reason: .severalDocuments, mark: event.mark) }
                isFirst = false
                document = try node(try events.next(), depth: 1)
            default: continue
            }
        }
    }

    private mutating func node(_ event: YAMLEvent, depth: Int) throws(YAMLError) -> YAMLNode {
        func refusal(_ reason: YAMLError.Reason) -> YAMLError { YAMLError(reason: reason, mark: event.mark) }
        valueCount += 1
        guard valueCount <= Self.maximumValueCount else { throw refusal(.tooManyValues(limit: Self.maximumValueCount)) }
        guard depth <= Self.maximumDepth else { throw refusal(.tooDeep(limit: Self.maximumDepth)) }
        guard !event.hasAnchor else { throw refusal(.alias) }
        guard !event.hasTag else { throw refusal(.tag) }
        switch event.kind {
        case .scalar(let text, let isPlain):
            return YAMLNode(content: .scalar(text, isPlain: isPlain), mark: event.mark)
        case .sequenceStart: return YAMLNode(content: .sequence(try sequence(depth: depth)), mark: event.mark)
        case .mappingStart: return YAMLNode(content: .mapping(try mapping(depth: depth)), mark: event.mark)
        case .alias: throw refusal(.alias)
        default: throw refusal(.syntax("a value is missing"))
        }
    }

    private mutating func sequence(depth: Int) throws(YAMLError) -> [YAMLNode] {
        var nodes: [YAMLNode] = []
        while true {
            let event = try events.next()
            if case .sequenceEnd = event.kind { return nodes }
            nodes.append(try node(event, depth: depth + 1))
        }
    }

    private mutating func mapping(depth: Int) throws(YAMLError) -> [YAMLEntry] {
        var entries: [YAMLEntry] = []
        var lines: [String: Int] = [:]
        while true {
            let event = try events.next()
            if case .mappingEnd = event.kind { return entries }
            let name = try node(event, depth: depth + 1)
            guard case .scalar(let key, _) = name.content else {
                throw YAMLError(reason: .keyIsNoText, mark: name.mark)
            }
            if let line = lines.updateValue(name.mark.line, forKey: key) {
                throw YAMLError(reason: .duplicateKey(key, firstLine: line), mark: name.mark)
            }
            entries.append(YAMLEntry(key: key, mark: name.mark, value: try node(try events.next(), depth: depth + 1)))
        }
    }
}
