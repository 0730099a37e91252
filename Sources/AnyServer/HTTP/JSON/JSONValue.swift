/// A JSON value as it stands in a request or response body.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number with a fraction or an exponent; finite.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The text, `nil` when this is no string.
    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The truth value, `nil` when this is none.
    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The whole number, `nil` when this is no number or has a fraction; `5.0` is whole.
    package var integer: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number, `nil` when this is none.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The elements, `nil` when this is no array.
    package var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The object, `nil` when this is none.
    package var object: JSONObject? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    /// Whether this is a string, a number or a truth value.
    package var isScalar: Bool {
        switch self {
        case .bool, .integer, .number, .string: true
        case .null, .array, .object: false
        }
    }
}

extension JSONValue: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue: ExpressibleByFloatLiteral {
    package init(floatLiteral value: Double) { self = .number(value) }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByNilLiteral {
    package init(nilLiteral: ()) { self = .null }
}

extension JSONValue: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}
