internal import CJansson

/// Why bytes are no JSON that we read.
package enum JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No bytes but white space.
    case empty
    /// Not JSON.
    case syntax(line: Int, column: Int)
    /// Ends too early.
    case incomplete
    /// Something follows the value.
    case trailingBytes(line: Int, column: Int)
    /// Text is no UTF-8.
    case notUTF8
    /// A field stands twice in one object.
    case duplicateField(line: Int, column: Int)
    /// A field's name holds a NUL.
    case nulInName(line: Int, column: Int)
    /// A number is too large for a double.
    case numberOutOfRange(line: Int, column: Int)
    /// Arrays and objects are nested deeper.
    case tooDeep(limit: Int)
    /// There are more values.
    case tooManyValues(limit: Int)
    /// There was no memory for it.
    case outOfMemory

    /// For the sender of the bytes: says where, and repeats nothing of them, which may be a token.
    package var description: String {
        switch self {
        case .empty: "the body is empty, expected JSON"
        case .syntax(let line, let column): "the body is not valid JSON (line \(line), column \(column))"
        case .incomplete: "the body ends in the middle of a JSON value"
        case .trailingBytes(let line, let column): "something follows the JSON value (line \(line), column \(column))"
        case .notUTF8: "the body is not valid UTF-8"
        case .duplicateField(let line, let column): "a field stands twice (line \(line), column \(column))"
        case .nulInName(let line, let column): "a field's name holds a NUL (line \(line), column \(column))"
        case .numberOutOfRange(let line, let column): "a number is out of range (line \(line), column \(column))"
        case .tooDeep(let limit): "the body is nested deeper than \(limit) levels"
        case .tooManyValues(let limit): "the body holds more than \(limit) values"
        case .outOfMemory: "there is no memory to read the body"
        }
    }
}

/// Reads JSON strictly: whole numbers beyond 64 bits as doubles, UTF-8 only, no field twice, one value and nothing after it.
///
/// Jansson does the reading. Of the C libraries that Debian has (json-c, jansson, yajl) it is the one that refuses
/// duplicate fields, invalid UTF-8 and lone surrogates itself, keeps fields in order, tells integers from reals and
/// seeds its hash tables at random; FoundationEssentials' decoder keeps the last of two fields without a word.
package enum JSONParser {
    /// Reads the one value that `bytes` hold.
    ///
    /// - Throws: ``JSONError`` when they are anything else or exceed `limits`.
    package static func parse(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSONValue {
        guard bytes.contains(where: { !isWhitespace($0) }) else { throw .empty }
        switch limits.excess(in: bytes) {
        case .depth(let limit): throw .tooDeep(limit: limit)
        case .values(let limit): throw .tooManyValues(limit: limit)
        case nil: break
        }
        do throws(JSONError) { return try load(bytes) } catch {
            guard case .numberOutOfRange = error, let wide = WideNumbers.asReals(in: bytes) else { throw error }
            return try load(wide)
        }
    }

    private static func load(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)
        var error = json_error_t()
        let root = bytes.withUnsafeBytes { buffer in
            json_loadb(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count, flags, &error)
        }
        guard let root else { throw JSONError(error) }
        defer { cjansson_release(root) }
        return value(root)
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Copies a value out. Recursive no deeper than the limit that was checked before.
    private static func value(_ pointer: UnsafeMutablePointer<json_t>) -> JSONValue {
        switch json_type(UInt32(cjansson_type(pointer))) {
        case JSON_OBJECT: .object(object(pointer))
        case JSON_ARRAY:
            .array((0..<json_array_size(pointer)).compactMap { json_array_get(pointer, $0).map(value) })
        case JSON_STRING: .string(text(json_string_value(pointer), json_string_length(pointer)))
        case JSON_INTEGER: .integer(Int64(json_integer_value(pointer)))
        case JSON_REAL: .number(json_real_value(pointer))
        case JSON_TRUE: .bool(true)
        case JSON_FALSE: .bool(false)
        default: .null
        }
    }

    private static func object(_ pointer: UnsafeMutablePointer<json_t>) -> JSONObject {
        var object = JSONObject()
        var iterator = json_object_iter(pointer)
        while let position = iterator {
            let name = text(json_object_iter_key(position), json_object_iter_key_len(position))
            if let field = json_object_iter_value(position) { object[name] = value(field) }
            iterator = json_object_iter_next(pointer, position)
        }
        return object
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

extension JSONError {
    fileprivate init(_ error: json_error_t) {
        let line = Int(error.line)
        let column = Int(error.column)
        let code = withUnsafePointer(to: error) { json_error_code(UInt32(cjansson_error($0))) }
        switch code {
        case json_error_premature_end_of_input: self = .incomplete
        case json_error_end_of_input_expected: self = .trailingBytes(line: line, column: column)
        case json_error_invalid_utf8: self = .notUTF8
        case json_error_duplicate_key: self = .duplicateField(line: line, column: column)
        case json_error_null_byte_in_key: self = .nulInName(line: line, column: column)
        case json_error_numeric_overflow: self = .numberOutOfRange(line: line, column: column)
        case json_error_out_of_memory: self = .outOfMemory
        default: self = .syntax(line: line, column: column)
        }
    }
}
