import FoundationEssentials
import SQLiteStorage
import Testing

@testable import PushNodeServer

@Suite struct StoreFileTests {
    private let directory: TemporaryDirectory
    private let file: StoreFile

    init() throws {
        directory = try TemporaryDirectory()
        file = StoreFile.node(path: directory.file("node.db"))
    }

    @Test func aNewFileIsOursAloneAndPrivate() throws {
        let connection = try file.open()
        #expect(try connection.first("PRAGMA application_id") { $0.integer(0) } == Int64(Schema.applicationId))
        #expect(try connection.first("PRAGMA user_version") { $0.integer(0) } == Int64(Schema.migrations.count))
        #expect(try connection.first("PRAGMA journal_mode") { $0.text(0) } == "wal")
        for name in ["node.db", "node.db-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test func whatWasWrittenIsThereAfterReopening() throws {
        try file.open().run("INSERT INTO account (identity) VALUES (?)", .bytes([0xff, 0x00]))
        let identity = try file.open().first("SELECT identity FROM account") { $0.bytes(0) }
        #expect(identity == [0xff, 0x00])
    }

    @Test func aSecondProcessIsRefused() throws {
        let connection = try file.open()
        #expect(throws: StoreError.inUse(path: file.path)) { try file.open() }
        withExtendedLifetime(connection) {}
    }

    @Test func aNewerSchemaIsRefusedAndLeftAlone() throws {
        try file.open().execute("PRAGMA user_version = 99")
        let error = StoreError.newerSchema(path: file.path, found: 99, supported: Schema.migrations.count)
        #expect(throws: error) { try file.open() }
        #expect(throws: error) { try file.open() }
    }

    @Test func migrationsThatAFileHasNotSeenRunOnceAndInOrder() throws {
        var older = file
        older.migrations = ["CREATE TABLE first (a)"]
        try older.open().execute("INSERT INTO first VALUES (1)")
        var newer = file
        newer.migrations = older.migrations + ["ALTER TABLE first ADD COLUMN b", "UPDATE first SET b = a + 1"]
        for _ in 0..<2 {
            let connection = try newer.open()
            #expect(try connection.first("SELECT b FROM first") { $0.integer(0) } == 2)
            #expect(try connection.first("PRAGMA user_version") { $0.integer(0) } == 3)
        }
        #expect(throws: StoreError.newerSchema(path: file.path, found: 3, supported: 1)) { try older.open() }
    }

    @Test func notificationsOfAnOlderFileKeepTheirTopics() throws {
        // The second has hexadecimal digits of every kind; nobody is subscribed to the third any more.
        let ids: [Int64] = [1, 0x0123_4567_89ab_cdef, 99]
        func topics(_ ids: Int64...) -> SQLiteValue {
            .bytes(ids.flatMap { id in withUnsafeBytes(of: id.bigEndian) { Array($0) } })
        }
        var older = file
        older.migrations = [Schema.migrations[0]]
        do {
            let connection = try older.open()
            for id in ids.dropLast() {
                try connection.run(
                    "INSERT INTO topic (id, space, name) VALUES (?, x'07', ?)", .integer(id),
                    .bytes(Array("t\(id)".utf8)))
            }
            for (number, topics) in [(5, topics(ids[0], ids[1], ids[2])), (6, topics(ids[1])), (7, topics())] {
                try connection.run(
                    """
                    INSERT INTO notification (id, space, topics, sender, is_silent, group_id, has_message, key_id, payload,
                    signature, expires_at) VALUES (?, x'07', ?, x'', 0, x'', 0, x'', x'', x'', 0)
                    """, .integer(Int64(number)), topics)
            }
        }
        let connection = try file.open()
        #expect(try Set(connection.wantedTopics(of: 5)) == Set(ids.dropLast()))
        #expect(try connection.wantedTopics(of: 6) == [ids[1]])
        #expect(try connection.wantedTopics(of: 7) == [])
        #expect(try connection.stored(6)?.content.isSilent == false)
    }

    @Test func notificationsWithARowForEachTopicKeepThem() throws {
        var older = file
        older.migrations = Array(Schema.migrations.prefix(6))
        do {
            let connection = try older.open()
            try connection.execute(
                """
                INSERT INTO topic (id, space, name) VALUES (3, x'07', 'a'), (4, x'07', 'b');
                INSERT INTO notification (id, space, sender, is_silent, group_id, has_message, key_id, payload, signature,
                expires_at) VALUES (5, x'07', x'', 0, x'', 0, x'', x'', x'', 0);
                INSERT INTO notification_topic VALUES (5, x'07', x'61'), (5, x'07', x'62'), (5, x'07', x'63');
                UPDATE topic SET name = CAST(name AS BLOB);
                """)
        }
        let connection = try file.open()
        #expect(try Set(connection.wantedTopics(of: 5)) == [3, 4])
        #expect(try connection.dropIfDone(5) != nil)
        #expect(try connection.first("SELECT count(*) FROM notification_topic") { $0.integer(0) } == 0)
    }

    @Test func aMigrationThatFailsChangesNothing() throws {
        var older = file
        older.migrations = ["CREATE TABLE first (a)"]
        _ = try older.open()
        var broken = file
        broken.migrations = older.migrations + ["CREATE TABLE second (a)", "CREATE TABLE second (a)"]
        #expect(throws: StoreError.self) { try broken.open() }
        let connection = try older.open()
        #expect(try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) } == 1)
    }

    @Test func aFileThatIsNoDatabaseIsRefusedAndLeftAlone() throws {
        let text = Data(String(repeating: "any old text ", count: 100).utf8)
        try text.write(to: URL(fileURLWithPath: file.path))
        #expect(throws: StoreError.notADatabase(path: file.path)) { try file.open() }
        #expect(FileManager.default.contents(atPath: file.path) == text)
    }

    @Test func anotherProgramsDatabaseIsRefused() throws {
        try SQLiteConnection(path: file.path).execute("CREATE TABLE theirs (a)")
        #expect(throws: StoreError.foreign(path: file.path)) { try file.open() }
        try SQLiteConnection(path: file.path).execute("PRAGMA application_id = 7")
        #expect(throws: StoreError.foreign(path: file.path)) { try file.open() }
    }

    @Test func aDamagedFileIsRefused() throws {
        let connection = try file.open()
        try connection.execute("BEGIN")
        for index in 0..<2000 {
            try connection.run(
                "INSERT INTO account (identity) VALUES (?)", .bytes(Array("identity number \(index)".utf8))
            )
        }
        try connection.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
        var bytes = try #require(FileManager.default.contents(atPath: file.path))
        for page in stride(from: 4096, to: bytes.count, by: 4096) { bytes[page] = 0x77 }
        let damaged = StoreFile.node(path: directory.file("damaged.db"))
        try bytes.write(to: URL(fileURLWithPath: damaged.path))
        #expect {
            try damaged.open()
        } throws: { error in
            if case .corrupt(let path, _) = error as? StoreError { path == damaged.path } else { false }
        }
    }

    @Test func aFileCutShortIsRefused() throws {
        try file.open().execute("INSERT INTO account (identity) VALUES (randomblob(32))")
        let bytes = try #require(FileManager.default.contents(atPath: file.path))
        let cut = StoreFile.node(path: directory.file("cut.db"))
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: cut.path))
        #expect {
            try cut.open()
        } throws: { error in
            if case .corrupt = error as? StoreError { true } else { false }
        }
    }

    @Test(arguments: ["/proc/node.db", "/nonexistent/node.db", "/dev/null/node.db"])
    func aFolderThatTakesNoFilesIsRefused(_ path: String) {
        #expect {
            try StoreFile.node(path: path).open()
        } throws: { error in
            switch error as? StoreError {
            case .cannotOpen(path, _), .notWritable(path, _): true
            default: false
            }
        }
    }

    @Test func aFullDiskIsNoticedOnOpening() throws {
        var small = file
        small.maximumPages = 4
        #expect(throws: StoreError.full(path: file.path)) { try small.open() }
    }
}
