import PushCrypto

/// The lines of one batch of an import, read and checked as far as they can be by themselves.
struct ImportBatch: Sendable {
    /// A change whose signature is good.
    struct Change: Sendable {
        let change: SignedChange
        /// Whether it came as one of the space's details.
        let isDetails: Bool
    }

    let spaceId: String
    /// `RawSpaceHeader`.
    let header: [UInt8]
    /// What the header says.
    let headerFields: SpaceHeader
    let type: SpaceType
    /// How long the whole log is.
    let recordCount: Int
    /// The records with their positions, each with the number of its line.
    private(set) var records: [(line: Int, position: Int, record: RawRecordWithId)] = []
    /// The changes, each with the number of its line.
    private(set) var changes: [(line: Int, change: Change)] = []

    /// The account's own settings as they were sealed, each with the number of its line.
    private(set) var settings: [(line: Int, sealed: [UInt8])] = []

    /// Reads the lines of a batch.
    ///
    /// - Throws: ``SpaceError/badLine(number:reason:)``.
    init(_ lines: [JSONObject]) throws(SpaceError) {
        guard let first = lines.first, case .space(let id, let header, let count) = try Self.line(first, 1) else {
            throw .badLine(number: 1, reason: "a batch begins with the space's line")
        }
        (spaceId, self.header, recordCount) = (id, header, count)
        do throws(SpaceHeaderError) {
            headerFields = try SpaceHeader(verifying: header, spaceId: id)
        } catch {
            throw .badLine(number: 1, reason: "\(error)")
        }
        guard let type = SpaceType(rawValue: headerFields.spaceType) else {
            throw .badLine(number: 1, reason: "spaces of this type are not known here")
        }
        self.type = type
        for (index, json) in lines.enumerated().dropFirst() {
            let number = index + 1
            switch try Self.line(json, number) {
            case .space: throw .badLine(number: number, reason: "a batch has one space only")
            case .record(let position, let record):
                guard Self.isCanonical(record) else {
                    throw .badLine(number: number, reason: "the record is not in its one accepted form")
                }
                records.append((number, position, record))
            case .settings(let sealed): settings.append((number, sealed))
            case .details(let id, let bytes):
                changes.append((number, Change(change: try Self.change(id, bytes, number), isDetails: true)))
            case .change(let id, let bytes):
                changes.append((number, Change(change: try Self.change(id, bytes, number), isDetails: false)))
            }
        }
    }

    private static func line(_ json: JSONObject, _ number: Int) throws(SpaceError) -> ExportLine {
        do throws(ExportLine.Fault) { return try ExportLine(json) } catch {
            throw error.isNewer ? .newerExport(line: number) : .badLine(number: number, reason: error.description)
        }
    }

    /// Whether a record is its author's bytes and signature and nothing else. What surrounds these is under no
    /// signature, so that anybody could give somebody's record a second id, and make a log that parts from everybody
    /// else's.
    private static func isCanonical(_ record: RawRecordWithId) -> Bool {
        guard let raw = try? RawRecord(decoding: record.payload[...]) else { return false }
        var bare = RawRecord()
        (bare.payload, bare.signature) = (raw.payload, raw.signature)
        return bare.marshalled() == record.payload
    }

    private static func change(_ id: String, _ bytes: [UInt8], _ number: Int) throws(SpaceError) -> SignedChange {
        do throws(ChangeError) {
            let change = try SignedChange(bytes)
            guard change.id == id else { throw .wrongField("id") }
            return change
        } catch {
            throw .badLine(number: number, reason: "\(error)")
        }
    }
}
