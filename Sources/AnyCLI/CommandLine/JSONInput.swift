import AnyServer
import Glibc
import SecretFiles

/// JSON that the user gives as a word, in a file, or on standard input.
enum JSONInput {
    /// What the server takes (any-api.md, "HTTP").
    static let limit = 1 << 20
    private static let inline = "the body"

    /// The object that `word` says: JSON itself, `@file`, or `-` for standard input.
    ///
    /// - Returns: the JSON as it was given.
    static func read(_ word: String) throws(CommandFailure) -> [UInt8] {
        try parse(word).bytes
    }

    /// The object that `word` says.
    static func object(_ word: String) throws(CommandFailure) -> JSONObject {
        try parse(word).object
    }

    /// The text of a file, or of standard input for `-`, without the line feed at its end.
    static func text(_ name: String) throws(CommandFailure) -> String {
        let bytes = name == "-" ? try standardInput() : try file(name)
        guard bytes.count <= limit else { throw tooLarge(name) }
        guard var text = String(validating: bytes, as: UTF8.self) else { throw CommandFailure("\(name) is no text") }
        if text.hasSuffix("\n") { text.removeLast() }
        return text
    }

    private static func parse(_ word: String) throws(CommandFailure) -> (bytes: [UInt8], object: JSONObject) {
        let name: String
        let bytes: [UInt8]
        switch word {
        case "-":
            name = "standard input"
            bytes = try standardInput()
        case let word where word.hasPrefix("@"):
            name = String(word.dropFirst())
            bytes = try file(name)
        default:
            name = inline
            bytes = Array(word.utf8)
        }
        guard bytes.count <= limit else { throw tooLarge(name) }
        let value: JSONValue
        do throws(JSONError) { value = try JSONParser.parse(bytes) } catch {
            throw CommandFailure(name == inline ? "\(error)" : "\(name): \(error)")
        }
        guard let object = value.object else { throw CommandFailure("\(name): expected a JSON object") }
        return (bytes, object)
    }

    private static func file(_ path: String) throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(FileError) { bytes = try BoundedFile.read(path, limit: limit) } catch {
            throw CommandFailure("\(error)")
        }
        guard let bytes else { throw CommandFailure("there is no file \(path)") }
        return bytes
    }

    private static func standardInput() throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while bytes.count <= limit {
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure("cannot read standard input: \(String(cString: strerror(errno)))")
            }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }

    private static func tooLarge(_ name: String) -> CommandFailure {
        CommandFailure("\(name) is larger than the \(limit >> 20) MiB that the server takes")
    }
}
