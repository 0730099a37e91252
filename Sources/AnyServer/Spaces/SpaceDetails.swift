import ProtoWire

/// What members call a space and show of it: the body of a ``ChangeKind/spaceDetails`` change,
/// `SpaceDetails { name:1 string, description:2 string, iconCid:3 string }`. A field that is absent says nothing, an
/// empty one takes the field away.
struct SpaceDetails: Hashable, Sendable {
    /// The fields, in the order of their numbers.
    enum Field: Int, Hashable, Sendable, CaseIterable {
        case name = 1
        case description = 2
        case iconCid = 3

        /// The longest text that is kept, in bytes.
        var limit: Int {
            switch self {
            case .name: 4096
            case .description: 64 * 1024
            case .iconCid: 1024
            }
        }

        /// The field's name in requests.
        var title: String {
            switch self {
            case .name: "name"
            case .description: "description"
            case .iconCid: "iconCid"
            }
        }
    }

    /// The texts of the fields that are present.
    let texts: [Field: String]

    /// What a request says.
    ///
    /// - Throws: ``SpaceError/textTooLong(field:limit:found:)``.
    init(name: String?, description: String?, iconCid: String?) throws(SpaceError) {
        var texts: [Field: String] = [:]
        texts[.name] = name
        texts[.description] = description
        texts[.iconCid] = iconCid
        for field in Field.allCases {
            let count = texts[field]?.utf8.count ?? 0
            guard count <= field.limit else {
                throw .textTooLong(field: field.title, limit: field.limit, found: count)
            }
        }
        self.texts = texts
    }

    /// Reads the body of a change.
    ///
    /// - Throws: ``ChangeError/malformed(_:)``, or ``ChangeError/wrongField(_:)`` for a text that is too long or no
    ///   UTF-8.
    init(_ body: [UInt8]) throws(ChangeError) {
        var fields: [Field: ArraySlice<UInt8>] = [:]
        try ChangeError.reading { () throws(ProtoError) in
            var reader = ProtoReader(body)
            while let number = try reader.nextField() {
                if let field = Field(rawValue: number) { fields[field] = try reader.slice() } else { try reader.skip() }
            }
        }
        var texts: [Field: String] = [:]
        for (field, bytes) in fields {
            guard bytes.count <= field.limit, let text = String(validating: bytes, as: UTF8.self) else {
                throw .wrongField(field.title)
            }
            texts[field] = text
        }
        self.texts = texts
    }

    /// The body of a change.
    var body: [UInt8] {
        var writer = ProtoWriter()
        for field in Field.allCases {
            if let text = texts[field] { writer.element(field.rawValue, Array(text.utf8)) }
        }
        return writer.bytes
    }

    /// Whether it says anything but that fields are taken away: of a new space there is nothing to take.
    var saysSomething: Bool { texts.values.contains { !$0.isEmpty } }
}
