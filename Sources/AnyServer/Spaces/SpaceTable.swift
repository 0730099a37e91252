import FoundationEssentials
import PushCrypto
import SQLiteStorage

/// The rows of an account's spaces.
struct SpaceTable {
    let connection: SQLiteConnection
    /// Seals the keys that rows hold.
    let key: SymmetricKey

    /// One space, `nil` when the account has none of this id.
    func space(_ id: String) throws -> StoredSpace? {
        let row = try connection.first(
            """
            SELECT id, type, header, author, peer, status, is_tombstone, own_role, is_derived, created_at, name,
                description, icon, settings, push_keys, record_count,
                lacks_key
            FROM space WHERE id = ?
            """,
            .text(id), read: SpaceColumns.init
        )
        return try row.map(space)
    }

    /// Every space, in the order in which they came.
    func all() throws -> [StoredSpace] {
        let rows = try connection.all(
            """
            SELECT id, type, header, author, peer, status, is_tombstone, own_role, is_derived, created_at, name,
                description, icon, settings, push_keys, record_count,
                lacks_key
            FROM space ORDER BY number
            """,
            read: SpaceColumns.init
        )
        return try rows.map(space)
    }

    /// Writes a row, in the place of the one before.
    func save(_ space: StoredSpace) throws {
        let info = space.info
        try connection.run(
            """
            INSERT INTO space (id, type, header, author, peer, status, is_tombstone, own_role, is_derived, created_at,
                name, description, icon, settings, push_keys, record_count, lacks_key)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
            ON CONFLICT (id) DO UPDATE SET author = ?4, peer = ?5, status = ?6, is_tombstone = ?7, own_role = ?8,
                is_derived = ?9, created_at = ?10, name = ?11, description = ?12, icon = ?13, settings = ?14,
                push_keys = ?15, record_count = ?16, lacks_key = ?17
            """,
            .text(info.id), .text(info.spaceType.rawValue), .bytes(space.header), .key(info.author), .key(info.peer),
            .text(info.status.rawValue), .flag(space.isTombstone), .integer(Int64(info.ownRole.permissions.rawValue)),
            .flag(info.isDerived), .integer(info.createdAt), .optional(info.name), .optional(info.description),
            .optional(info.iconCid), .bytes(SpaceSettings.encode(info.settings)), try sealed(info.push),
            .integer(Int64(space.recordCount)), .flag(info.lacksKey)
        )
    }

    /// Forgets a row.
    func drop(_ id: String) throws {
        try connection.run("DELETE FROM space WHERE id = ?", .text(id))
    }

    private func sealed(_ push: ReceiverKeys?) throws -> SQLiteValue {
        guard let push else { return .null }
        return .bytes(try key.seal(try JSONEncoder().encode(push)))
    }

    private func space(_ row: SpaceColumns) throws -> StoredSpace {
        guard
            let type = SpaceType(rawValue: row.type), let status = SpaceStatus(rawValue: row.status),
            let settings = SpaceSettings.decode(row.settings)
        else { throw SpaceError.damaged("the row of space \(row.id)") }
        var info = SpaceInfo(
            id: row.id, spaceType: type, author: row.author, peer: row.peer, name: row.name,
            description: row.description, iconCid: row.icon, status: status, ownRole: row.role,
            createdAt: row.createdAt, settings: settings, isDerived: row.isDerived, lacksKey: row.lacksKey
        )
        if let sealed = row.pushKeys {
            guard
                let opened = try? key.open(sealed),
                let push = try? JSONDecoder().decode(ReceiverKeys.self, from: Data(opened))
            else { throw SpaceError.damaged("the keys of space \(row.id)") }
            info.push = push
        }
        var space = StoredSpace(info: info, header: row.header, recordCount: row.recordCount)
        space.isTombstone = row.isTombstone
        return space
    }
}

/// The columns of a row as they are read.
private struct SpaceColumns {
    let id: String
    let type: String
    let header: [UInt8]
    let author: PublicKey?
    let peer: PublicKey?
    let status: String
    let isTombstone: Bool
    let role: SpaceRole
    let isDerived: Bool
    let createdAt: Int64
    let name: String?
    let description: String?
    let icon: String?
    let settings: [UInt8]
    let pushKeys: [UInt8]?
    let recordCount: Int
    let lacksKey: Bool

    init(_ row: SQLiteConnection.Row) {
        id = row.text(0)
        type = row.text(1)
        header = row.bytes(2)
        author = try? PublicKey(rawRepresentation: row.bytes(3))
        peer = try? PublicKey(rawRepresentation: row.bytes(4))
        status = row.text(5)
        isTombstone = row.integer(6) != 0
        role = SpaceRole(ACLPermissions(rawValue: Int32(truncatingIfNeeded: row.integer(7))))
        isDerived = row.integer(8) != 0
        createdAt = row.integer(9)
        name = row.isNull(10) ? nil : row.text(10)
        description = row.isNull(11) ? nil : row.text(11)
        icon = row.isNull(12) ? nil : row.text(12)
        settings = row.bytes(13)
        pushKeys = row.isNull(14) ? nil : row.bytes(14)
        recordCount = Int(row.integer(15))
        lacksKey = row.integer(16) != 0
    }
}

extension SQLiteValue {
    fileprivate static func key(_ key: PublicKey?) -> SQLiteValue {
        key.map { .bytes($0.rawRepresentation) } ?? .null
    }

    /// A text, or nothing.
    static func optional(_ text: String?) -> SQLiteValue {
        text.map { .text($0) } ?? .null
    }
}
