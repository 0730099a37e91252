public import FoundationEssentials
import PushCrypto

/// A JSON value of a vector file, with accessors that name the missing or mistyped field.
public enum JSON: Hashable, Sendable, Decodable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    /// Parses a document.
    public static func parse(_ data: Data) throws -> JSON {
        try JSONDecoder().decode(JSON.self, from: data)
    }

    /// The field `key`, `nil` when this is no object, the field is absent or it is `null`.
    public subscript(key: String) -> JSON? {
        guard case .object(let fields) = self, let value = fields[key], value != .null else { return nil }
        return value
    }

    /// Whether this is an object that has the field at all, `null` included.
    public func has(_ key: String) -> Bool {
        guard case .object(let fields) = self else { return false }
        return fields[key] != nil
    }

    public var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    public var intValue: Int? {
        guard case .int(let value) = self else { return nil }
        return Int(exactly: value)
    }

    public var boolValue: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    public var arrayValue: [JSON]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    public var objectValue: [String: JSON]? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    /// The text field `key`.
    public func string(_ key: String) throws(VectorMismatch) -> String {
        try required(key, "string") { $0.stringValue }
    }

    /// The whole-number field `key`.
    public func int(_ key: String) throws(VectorMismatch) -> Int {
        try required(key, "whole number") { $0.intValue }
    }

    /// The Boolean field `key`.
    public func bool(_ key: String) throws(VectorMismatch) -> Bool {
        try required(key, "Boolean") { $0.boolValue }
    }

    /// The array field `key`; absent and `null` are errors.
    public func array(_ key: String) throws(VectorMismatch) -> [JSON] {
        try required(key, "array") { $0.arrayValue }
    }

    /// The object field `key`.
    public func object(_ key: String) throws(VectorMismatch) -> [String: JSON] {
        try required(key, "object") { $0.objectValue }
    }

    /// The bytes of the hex field `key`.
    public func hex(_ key: String) throws(VectorMismatch) -> [UInt8] {
        try required(key, "hex string") { $0.stringValue.flatMap(Hexadecimal.decode) }
    }

    private func required<T>(_ key: String, _ type: String, _ get: (JSON) -> T?) throws(VectorMismatch) -> T {
        guard let field = self[key] else { throw VectorMismatch("the case has no field \(key)") }
        guard let value = get(field) else { throw VectorMismatch("field \(key) is not a \(type)") }
        return value
    }
}
