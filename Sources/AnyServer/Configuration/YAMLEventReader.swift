import CYAML

/// One event of libyaml's parser, and where it begins.
struct YAMLEvent {
    enum Kind {
        case streamStart, streamEnd, documentStart, documentEnd, sequenceStart, sequenceEnd, mappingStart, mappingEnd
        case alias
        case scalar(String, isPlain: Bool)
    }

    var kind: Kind
    var hasAnchor = false
    var hasTag = false
    var mark: YAMLMark
}

/// libyaml's event parser over a text in memory.
final class YAMLEventReader {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>

    /// A parser at the beginning of `text`; `nil` when there is no memory for one.
    init?(_ text: [UInt8]) {
        parser = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        // A copy of its own, since the parser keeps the pointer. Never empty, so that there is a pointer.
        input = .allocate(capacity: text.count + 1)
        _ = input.initialize(from: text + [0])
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            input.deallocate()
            return nil
        }
        yaml_parser_set_input_string(parser, input.baseAddress, text.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// The next event.
    func next() throws(YAMLError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw error }
        defer { yaml_event_delete(&event) }
        let mark = Self.mark(event.start_mark)
        switch event.type {
        case YAML_STREAM_START_EVENT: return YAMLEvent(kind: .streamStart, mark: mark)
        case YAML_DOCUMENT_START_EVENT: return YAMLEvent(kind: .documentStart, mark: mark)
        case YAML_DOCUMENT_END_EVENT: return YAMLEvent(kind: .documentEnd, mark: mark)
        case YAML_SEQUENCE_END_EVENT: return YAMLEvent(kind: .sequenceEnd, mark: mark)
        case YAML_MAPPING_END_EVENT: return YAMLEvent(kind: .mappingEnd, mark: mark)
        case YAML_ALIAS_EVENT: return YAMLEvent(kind: .alias, mark: mark)
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            return YAMLEvent(
                kind: .sequenceStart, hasAnchor: start.anchor != nil, hasTag: start.tag != nil, mark: mark
            )
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            return YAMLEvent(
                kind: .mappingStart, hasAnchor: start.anchor != nil, hasTag: start.tag != nil, mark: mark
            )
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            return YAMLEvent(
                kind: .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE),
                hasAnchor: scalar.anchor != nil, hasTag: scalar.tag != nil, mark: mark
            )
        default: return YAMLEvent(kind: .streamEnd, mark: mark)
        }
    }

    private var error: YAMLError {
        let failed = parser.pointee
        let problem = failed.problem.map { String(cString: $0) } ?? "it can not be read"
        // The reader knows only the place in bytes, of text that is not UTF-8.
        let mark =
            failed.error == YAML_READER_ERROR ? mark(ofByte: failed.problem_offset) : Self.mark(failed.problem_mark)
        return YAMLError(reason: isTab(at: failed.problem_mark) ? .tab : .syntax(problem), mark: mark)
    }

    // libyaml has no error of its own for the most common mistake.
    private func isTab(at mark: yaml_mark_t) -> Bool {
        let line =
            input.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .dropFirst(mark.line).first ?? []
        return line.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.contains(UInt8(ascii: "\t"))
    }

    private func mark(ofByte offset: Int) -> YAMLMark {
        let before = input.dropLast().prefix(offset)
        let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return YAMLMark(line: line.count, column: (line.last?.count ?? 0) + 1)
    }

    private static func mark(_ mark: yaml_mark_t) -> YAMLMark {
        YAMLMark(line: mark.line + 1, column: mark.column + 1)
    }
}
