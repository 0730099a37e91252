import FoundationEssentials
import Glibc
import PushCrypto
import PushReceiver
import SecretFiles
import Testing

@Suite struct KeyCacheTests {
    let directory: KeyDirectory

    init() throws {
        directory = try KeyDirectory()
    }

    @Test func keysOutliveTheProcess() throws {
        let first = SymmetricKey()
        let second = SymmetricKey()
        #expect(try KeyCache(directory: directory.path).add(first, spaceId: "one"))
        #expect(try KeyCache(directory: directory.path).add(second, spaceId: "two"))
        let cache = try KeyCache(directory: directory.path)
        #expect(try cache.key(withId: first.keyId) == first)
        #expect(try cache.key(withId: second.keyId) == second)
    }

    @Test func rotationAddsAndNothingIsEverTakenAway() throws {
        let cache = try KeyCache(directory: directory.path)
        let metadata = SigningKey()
        let generations = try (0..<5).map { _ in try SpacePushKeys(firstMetadataKey: metadata, readKey: SymmetricKey())
        }
        for keys in generations {
            #expect(try cache.add(keys.receiverKeys, spaceId: "space"))
            #expect(try !cache.add(keys.receiverKeys, spaceId: "space"))
        }
        for keys in generations {
            #expect(try cache.key(withId: keys.encryptionKeyId) == keys.encryptionKey)
        }
        #expect(directory.names == generations.map { $0.encryptionKeyId + ".json" }.sorted())
    }

    @Test func onlyTheOwnerHasAccess() throws {
        let key = SymmetricKey()
        try KeyCache(directory: directory.path).add(key, spaceId: "space")
        #expect(directory.permissions() == 0o700)
        #expect(directory.permissions(of: key.keyId + ".json") == 0o600)
    }

    @Test func theFormatIsTheDocumentedOne() throws {
        let key = try SymmetricKey(rawRepresentation: [UInt8](repeating: 0xff, count: 32))
        try KeyCache(directory: directory.path).add(key, spaceId: "bafy/\"é")
        #expect(
            try directory.text(of: key.keyId + ".json")
                == #"{"encKey":"//////////////////////////////////////////8=","encKeyId":"\#(key.keyId)","#
                + #""spaceId":"bafy/\"é","version":1}"#
        )
        let later =
            #"{ "version": 1, "added": [1], "spaceId": "", "encKeyId": "\#(key.keyId)", "#
            + #""encKey": "//////////////////////////////////////////8=" }"#
        try directory.write(later, to: key.keyId + ".json")
        #expect(try KeyCache(directory: directory.path).key(withId: key.keyId) == key)
    }

    @Test func idsAreComparedExactly() throws {
        let key = SymmetricKey()
        let cache = try KeyCache(directory: directory.path)
        try cache.add(key, spaceId: "space")
        for id in [
            "", key.keyId.uppercased(), key.keyId + " ", " " + key.keyId, String(key.keyId.dropLast()), key.keyId + "0",
            "../\(directory.path.split(separator: "/").last ?? "")/\(key.keyId)", String(repeating: "/", count: 64),
            String(repeating: ".", count: 64), String(repeating: "é", count: 32), SymmetricKey().keyId,
        ] {
            #expect(try cache.key(withId: id) == nil, "\(id)")
        }
    }

    @Test func aRowThatIsNotInOrderAddsNothing() throws {
        let keys = try SpacePushKeys(firstMetadataKey: SigningKey(), readKey: SymmetricKey())
        let fields = [
            "spaceKey": keys.receiverKeys.spaceKey, "encKey": keys.receiverKeys.encKey,
            "encKeyId": SymmetricKey().keyId,
        ]
        let row = try JSONDecoder().decode(ReceiverKeys.self, from: JSONEncoder().encode(fields))
        let cache = try KeyCache(directory: directory.path)
        #expect(throws: KeyCacheError.unusableRow(.keyIdMismatch)) { try cache.add(row, spaceId: "space") }
        for length in [0, 513] {
            #expect(throws: KeyCacheError.unusableSpaceId(limit: 512, found: length)) {
                try cache.add(SymmetricKey(), spaceId: String(repeating: "s", count: length))
            }
        }
        #expect(directory.names.isEmpty)
        // The longest id, every byte of it escaped, still fits the file that is read.
        let key = SymmetricKey()
        try cache.add(key, spaceId: String(repeating: "\u{1}", count: 512))
        #expect(try cache.key(withId: key.keyId) == key)
    }

    @Test(
        arguments: [
            ("", "empty"), (" ", "not JSON with a version"), ("{", "not JSON with a version"),
            ("{}", "not JSON with a version"), (#"{"version":"1"}"#, "not JSON with a version"),
            ("null", "not JSON with a version"),
            (#"{"version":1}"#, "expected version, spaceId, encKeyId and encKey"),
            (
                #"{"version":1,"spaceId":"s","encKeyId":"ID","encKey":5}"#,
                "expected version, spaceId, encKeyId and encKey"
            ),
            (#"{"version":1,"spaceId":"s","encKeyId":"00","encKey":"KEY"}"#, "its encKeyId is not the file's name"),
            (#"{"version":1,"spaceId":"s","encKeyId":"ID","encKey":"*"}"#, "its encKey is not base64"),
            (#"{"version":1,"spaceId":"s","encKeyId":"ID","encKey":""}"#, "its encKey has 0 bytes, expected 32"),
            (#"{"version":1,"spaceId":"s","encKeyId":"ID","encKey":"AAAA"}"#, "its encKey has 3 bytes, expected 32"),
            (
                #"{"version":1,"spaceId":"s","encKeyId":"ID","encKey":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}"#,
                "its encKey belongs to another encKeyId"
            ),
            (String(repeating: " ", count: 5000), "longer than 4096 bytes"),
        ]
    )
    func aDamagedFileIsNamedAndStaysAsItIs(_ content: String, _ reason: String) throws {
        let key = SymmetricKey()
        let cache = try KeyCache(directory: directory.path)
        let name = key.keyId + ".json"
        let text =
            content.split(separator: "ID", omittingEmptySubsequences: false).joined(separator: key.keyId)
            .split(separator: "KEY", omittingEmptySubsequences: false)
            .joined(separator: Data(key.rawBytes()).base64EncodedString())
        try directory.write(text, to: name)
        let expected = KeyCacheError.corrupt(path: directory.file(name), reason: reason)
        #expect(throws: expected) { try cache.key(withId: key.keyId) }
        #expect(throws: expected) { try cache.add(key, spaceId: "space") }
        #expect(try directory.text(of: name) == text)
        #expect(directory.names == [name])
        #expect("\(expected)".contains(name))
        #expect("\(expected)".contains("move it away"))
        // One damaged file costs one key.
        let other = SymmetricKey()
        try cache.add(other, spaceId: "space")
        #expect(try cache.key(withId: other.keyId) == other)
    }

    @Test func aFileOfNewerSoftwareStaysAsItIs() throws {
        let key = SymmetricKey()
        let cache = try KeyCache(directory: directory.path)
        try directory.write(#"{"version":2,"keys":[]}"#, to: key.keyId + ".json")
        let expected = KeyCacheError.unsupportedVersion(path: directory.file(key.keyId + ".json"), found: 2)
        #expect(throws: expected) { try cache.add(key, spaceId: "space") }
        #expect(throws: expected) { try cache.key(withId: key.keyId) }
        #expect(try directory.text(of: key.keyId + ".json") == #"{"version":2,"keys":[]}"#)
    }

    @Test func aFileIsNotReadThroughASymbolicLink() throws {
        let key = SymmetricKey()
        let cache = try KeyCache(directory: directory.path)
        try cache.add(key, spaceId: "space")
        let other = SymmetricKey()
        try #require(symlink(directory.file(key.keyId + ".json"), directory.file(other.keyId + ".json")) == 0)
        #expect(throws: KeyCacheError.self) { try cache.key(withId: other.keyId) }
    }

    @Test func aDirectoryThatOthersCanEnterIsRefused() throws {
        try #require(mkdir(directory.path, 0o755) == 0)
        for mode in [0o755, 0o710, 0o701, 0o770, 0o777] as [UInt32] {
            try #require(chmod(directory.path, mode) == 0)
            let expected = KeyCacheError.directoryUnusable(.folderOpenToOthers(path: directory.path, mode: mode))
            #expect(throws: expected) { try KeyCache(directory: directory.path) }
            #expect("\(expected)".contains("chmod 700"))
        }
        try #require(chmod(directory.path, 0o700) == 0)
        _ = try KeyCache(directory: directory.path)
    }

    @Test func whatIsNoDirectoryIsRefused() throws {
        let parent = try KeyDirectory()
        _ = try KeyCache(directory: parent.path)
        try parent.write("", to: "file")
        #expect(throws: KeyCacheError.self) { try KeyCache(directory: parent.file("file")) }
        #expect(throws: KeyCacheError.self) { try KeyCache(directory: parent.file("file/below")) }
        try #require(symlink(parent.path, parent.file("link")) == 0)
        #expect(throws: KeyCacheError.self) { try KeyCache(directory: parent.file("link")) }
        _ = try KeyCache(directory: parent.file("a/b/c"))
        #expect(throws: KeyCacheError.self) { try KeyCache(directory: "") }
    }
}
