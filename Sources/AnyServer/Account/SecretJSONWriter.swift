import PushCrypto

/// Writes the JSON that ``SecretJSONReader`` reads, two spaces to a level, into one buffer that the caller zeroes.
struct SecretJSONWriter {
    // No file of ours comes near; growing would leave a copy behind.
    private static let capacity = 4096

    private(set) var bytes: [UInt8] = []
    private var depth = 0
    private var isFirst = true

    /// The bytes of an object with the fields that `write` adds.
    static func object(_ write: (inout SecretJSONWriter) -> Void) -> [UInt8] {
        var writer = SecretJSONWriter()
        writer.bytes.reserveCapacity(capacity)
        writer.braces(write)
        writer.bytes.append(UInt8(ascii: "\n"))
        return writer.bytes
    }

    /// Adds a string that needs no escapes.
    mutating func text(_ name: String, _ value: String) {
        key(name)
        quoted(value.utf8)
    }

    /// Adds a number.
    mutating func number(_ name: String, _ value: UInt64) {
        key(name)
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Adds the base64 of `value`.
    mutating func base64(_ name: String, _ value: [UInt8]) {
        key(name)
        var text = SecretBase64.encode(value)
        defer { Sodium.zero(&text) }
        quoted(text)
    }

    /// Adds a key's seed as base64.
    mutating func seed(_ name: String, of key: SigningKey) {
        var raw = key.rawBytes()
        var seed = Array(raw[..<SigningKey.seedByteCount])
        defer {
            Sodium.zero(&raw)
            Sodium.zero(&seed)
        }
        base64(name, seed)
    }

    /// Adds an object.
    mutating func object(_ name: String, _ write: (inout SecretJSONWriter) -> Void) {
        key(name)
        braces(write)
    }

    private mutating func braces(_ write: (inout SecretJSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        depth += 1
        isFirst = true
        write(&self)
        depth -= 1
        isFirst = false
        newLine()
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func key(_ name: String) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        newLine()
        quoted(name.utf8)
        bytes.append(contentsOf: ": ".utf8)
    }

    private mutating func quoted(_ text: some Collection<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: text)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func newLine() {
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }
}
