/// The value of a space's setting, which is private to the account.
enum SettingValue: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    /// Finite.
    case number(Double)
    case bool(Bool)

    /// A scalar of a request; `nil` for what is none.
    init?(_ json: JSONValue) {
        switch json {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .number(let number): self = .number(number)
        case .bool(let value): self = .bool(value)
        case .null, .array, .object: return nil
        }
    }

    /// The value in a response.
    var json: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        case .bool(let value): .bool(value)
        }
    }
}
