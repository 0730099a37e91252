import FoundationEssentials
import PushCrypto

/// A line of an export: a JSON object. Everything in it but ids is signed by whoever wrote it, and sealed for the
/// space's members where it is not part of the log, so an export tells nobody else what a space holds.
///
/// ```
/// {"kind":"space","version":1,"id":…,"header":base64 of RawSpaceHeader,"records":length of the log}
/// {"kind":"acl","index":…,"id":…,"record":base64 of the record's payload}
/// {"kind":"settings","sealed":base64 of sealed OwnSettings}       for the account's other devices
/// {"kind":"details","id":…,"change":base64 of a SignedChange}     the space's name, description and icon
/// {"kind":"change","id":…,"change":base64 of a SignedChange}      chats and their messages
/// ```
///
/// The space's line comes first, then the root of the log, the settings, the other records in order, and the changes:
/// what is muted is known before the account has the space.
enum ExportLine: Hashable, Sendable {
    /// The version of this form. Another one is refused.
    static let version = 1

    case space(id: String, header: [UInt8], recordCount: Int)
    case record(position: Int, RawRecordWithId)
    case settings(sealed: [UInt8])
    case details(id: String, change: [UInt8])
    case change(id: String, change: [UInt8])

    /// Why a line is none.
    struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        let description: String
        /// Whether newer software has made it.
        let isNewer: Bool

        init(_ description: String, isNewer: Bool = false) {
            self.description = description
            self.isNewer = isNewer
        }
    }

    /// Reads a line, from anybody.
    init(_ json: JSONObject) throws(Fault) {
        switch json.string("kind") {
        case "space":
            let version = json.integer("version")
            guard version == Self.version else {
                throw Fault(
                    "the export's version is not \(Self.version), the one that is read here; update the server",
                    isNewer: version ?? 0 > Self.version)
            }
            self = .space(
                id: try Self.text("id", json), header: try Self.bytes("header", json),
                recordCount: try Self.count("records", json)
            )
        case "acl":
            let record = RawRecordWithId(payload: try Self.bytes("record", json), id: try Self.text("id", json))
            // What is known here already is compared by its id alone, so the id must be the payload's.
            guard CID(of: record.payload).matches(record.id) else { throw Fault("id is not that of record") }
            self = .record(position: try Self.count("index", json), record)
        case "settings": self = .settings(sealed: try Self.bytes("sealed", json))
        case "details": self = .details(id: try Self.text("id", json), change: try Self.bytes("change", json))
        case "change": self = .change(id: try Self.text("id", json), change: try Self.bytes("change", json))
        default: throw Fault("kind is not one of space, acl, settings, details, change; update the server")
        }
    }

    /// The line.
    var json: JSONObject {
        switch self {
        case .space(let id, let header, let count):
            [
                "kind": "space", "version": .integer(Int64(Self.version)), "id": .string(id),
                "header": .base64(header), "records": .integer(Int64(count)),
            ]
        case .record(let position, let record):
            [
                "kind": "acl", "index": .integer(Int64(position)), "id": .string(record.id),
                "record": .base64(record.payload),
            ]
        case .settings(let sealed): ["kind": "settings", "sealed": .base64(sealed)]
        case .details(let id, let change): ["kind": "details", "id": .string(id), "change": .base64(change)]
        case .change(let id, let change): ["kind": "change", "id": .string(id), "change": .base64(change)]
        }
    }

    private static func text(_ field: String, _ json: JSONObject) throws(Fault) -> String {
        guard let text = json.string(field), !text.isEmpty else { throw Fault("\(field) is not a text") }
        return text
    }

    private static func bytes(_ field: String, _ json: JSONObject) throws(Fault) -> [UInt8] {
        guard let bytes = Base64.decode(try text(field, json)) else { throw Fault("\(field) is not base64") }
        return bytes
    }

    private static func count(_ field: String, _ json: JSONObject) throws(Fault) -> Int {
        guard let number = json.integer(field), number >= 0 else { throw Fault("\(field) is not a count") }
        return number
    }
}

extension JSONValue {
    /// Bytes as standard base64.
    fileprivate static func base64(_ bytes: [UInt8]) -> JSONValue {
        .string(Data(bytes).base64EncodedString())
    }
}
