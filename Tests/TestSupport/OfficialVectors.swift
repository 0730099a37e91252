public import FoundationEssentials
import PushCrypto
import VectorReplay

/// One block of a text file of Tests/OfficialVectors: `Name = value` lines, byte strings in hex.
public struct OfficialVector: Sendable, CustomStringConvertible {
    private let fields: [String: String]
    private let file: String

    fileprivate init(fields: [String: String], file: String) {
        self.fields = fields
        self.file = file
    }

    /// The block's field `Name`.
    public var name: String { fields["Name"] ?? "?" }

    public var description: String { name }

    /// Whether the block has the field at all.
    public func has(_ field: String) -> Bool { fields[field] != nil }

    /// A field as text.
    public func text(_ field: String) throws -> String {
        guard let value = fields[field] else {
            throw OfficialVectors.Malformed(reason: "\(file): \(name) has no \(field)")
        }
        return value
    }

    /// A field as bytes.
    public func bytes(_ field: String) throws -> [UInt8] {
        try OfficialVectors.bytes(hex: text(field))
    }
}

/// The files of Tests/OfficialVectors.
public enum OfficialVectors {
    /// A file that is not in its own format.
    public struct Malformed: Error {
        public let reason: String
    }

    private static let folder = Repository.root.appendingPathComponent("Tests/OfficialVectors")

    /// The content of a file.
    public static func data(_ path: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(path))
    }

    /// The blocks of a text file; none when it can not be read, so a test expects how many there are.
    public static func blocks(_ path: String) -> [OfficialVector] {
        guard let data = try? data(path) else { return [] }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.split(separator: "").compactMap { lines in
            var fields: [String: String] = [:]
            for line in lines where !line.hasPrefix("#") {
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { continue }
                fields[trimmed(parts[0])] = trimmed(parts[1])
            }
            return fields.isEmpty ? nil : OfficialVector(fields: fields, file: path)
        }
    }

    /// Bytes of hex text.
    public static func bytes(hex text: String) throws -> [UInt8] {
        guard let bytes = Hexadecimal.decode(text) else { throw Malformed(reason: "not hex: \(text.prefix(80))") }
        return bytes
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " }
        let end = start.lastIndex { $0 != " " }.map { start[...$0] }
        return String(end ?? "")
    }
}
