import PushCrypto

/// Why a vector case did not hold: what was expected, what came.
public struct VectorMismatch: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

/// Fails the case unless both values are equal.
///
/// - Parameters:
///   - found: what the library made.
///   - expected: what the vector says.
///   - what: the name of the value, for the failure.
func expect<T: Equatable>(_ found: T, equals expected: T, _ what: String) throws(VectorMismatch) {
    guard found != expected else { return }
    throw VectorMismatch("\(what): expected \(describe(expected)), found \(describe(found))")
}

/// Fails the case unless `condition` holds.
func expect(_ condition: Bool, _ what: String) throws(VectorMismatch) {
    guard !condition else { return }
    throw VectorMismatch(what)
}

/// Fails the case unless `body` throws.
func expectError<T>(_ what: String, _ body: () throws -> T) throws(VectorMismatch) {
    let value: T
    do {
        value = try body()
    } catch {
        return
    }
    throw VectorMismatch("\(what): expected an error, found \(describe(value))")
}

private func describe(_ value: Any) -> String {
    switch value {
    case let bytes as [UInt8]: "0x" + Hexadecimal.encode(bytes)
    case let text as String: "\"\(text)\""
    default: "\(value)"
    }
}
