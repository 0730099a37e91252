import PushCrypto

/// Reads the JSON of our own secret files: objects, whole numbers, and strings without escapes, which is all that they hold.
///
/// A general reader would turn keys into strings that nobody can zero. This one only notes where in the caller's bytes a
/// value stands, and the caller zeroes those.
struct SecretJSONReader {
    enum Value: Equatable {
        case text(Range<Int>)
        case number(UInt64)
        case object(Object)
    }

    typealias Object = [String: Value]

    /// Where the text stops to be JSON of this kind, as an offset in bytes.
    struct Malformed: Error, Equatable {
        let offset: Int
    }

    private static let maximumDepth = 3

    private let bytes: [UInt8]
    private var offset = 0

    /// The object that `bytes` are.
    static func read(_ bytes: [UInt8]) throws(Malformed) -> Object {
        var reader = SecretJSONReader(bytes: bytes)
        let object = try reader.object(depth: 1)
        reader.skipSpace()
        guard reader.offset == bytes.count else { throw reader.malformed }
        return object
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var malformed: Malformed { Malformed(offset: offset) }

    private mutating func object(depth: Int) throws(Malformed) -> Object {
        guard depth <= Self.maximumDepth else { throw malformed }
        try expect(UInt8(ascii: "{"))
        var object: Object = [:]
        if skip(UInt8(ascii: "}")) { return object }
        repeat {
            let name = try string()
            try expect(UInt8(ascii: ":"))
            let value = try value(depth: depth)
            guard object.updateValue(value, forKey: String(decoding: bytes[name], as: UTF8.self)) == nil else {
                throw malformed
            }
        } while skip(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
        return object
    }

    private mutating func value(depth: Int) throws(Malformed) -> Value {
        skipSpace()
        guard offset < bytes.count else { throw malformed }
        switch bytes[offset] {
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        default: return .number(try number())
        }
    }

    private mutating func string() throws(Malformed) -> Range<Int> {
        try expect(UInt8(ascii: "\""))
        let start = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            guard bytes[offset] >= 0x20, bytes[offset] != UInt8(ascii: "\\") else { throw malformed }
            offset += 1
        }
        try expect(UInt8(ascii: "\""))
        return start..<offset - 1
    }

    private mutating func number() throws(Malformed) -> UInt64 {
        let start = offset
        while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) { offset += 1 }
        let digits = bytes[start..<offset]
        guard
            let number = UInt64(String(decoding: digits, as: UTF8.self)), digits.count == 1 || digits.first != 0x30
        else { throw malformed }
        return number
    }

    private mutating func expect(_ byte: UInt8) throws(Malformed) {
        guard skip(byte) else { throw malformed }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while offset < bytes.count,
            bytes[offset] == 0x20 || (0x09...0x0a).contains(bytes[offset]) || bytes[offset] == 0x0d
        {
            offset += 1
        }
    }
}

extension SecretJSONReader.Object {
    /// The number `name`.
    func number(_ name: String) -> UInt64? {
        guard case .number(let number) = self[name] else { return nil }
        return number
    }

    /// The object `name`.
    func object(_ name: String) -> SecretJSONReader.Object? {
        guard case .object(let object) = self[name] else { return nil }
        return object
    }

    /// The string `name`, which is no secret.
    func text(_ name: String, in bytes: [UInt8]) -> String? {
        guard case .text(let range) = self[name] else { return nil }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    /// What the string `name` is the base64 of. The caller zeroes it.
    func base64(_ name: String, in bytes: [UInt8]) -> [UInt8]? {
        guard case .text(let range) = self[name] else { return nil }
        return SecretBase64.decode(bytes, range)
    }

    /// The key whose seed is the string `name` in base64.
    func signingKey(_ name: String, in bytes: [UInt8]) -> SigningKey? {
        guard var seed = base64(name, in: bytes) else { return nil }
        defer { Sodium.zero(&seed) }
        return try? SigningKey(seed: seed)
    }
}
