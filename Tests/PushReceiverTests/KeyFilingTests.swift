import FoundationEssentials
import Locks
import PushCrypto
import PushReceiver
import SecretFiles
import Testing

/// Which spaces a key is of, and since when it is no space's key anymore.
@Suite struct KeyFilingTests {
    let directory: KeyDirectory
    let time = SystemLock<Int64>(1_000)
    let first = SymmetricKey()
    let second = SymmetricKey()
    let third = SymmetricKey()

    init() throws {
        directory = try KeyDirectory()
    }

    var cache: KeyCache {
        get throws { try KeyCache(directory: directory.path, unixTime: { time.withLock { $0 } }) }
    }

    @Test func aKeyIsOfTheSpacesItWasSeenIn() throws {
        try cache.add(first, spaceId: "a")
        try cache.add(first, spaceId: "b")
        #expect(try filing(first, "a") == KeyFiling())
        #expect(try filing(first, "b") == KeyFiling())
        for other in ["c", "", "../a", String(repeating: "s", count: 513)] {
            #expect(try filing(first, other) == nil)
        }
        #expect(try filing(second, "a") == nil)
        #expect(try cache.filing(ofKeyWithId: "../\(first.keyId)", spaceId: "a") == nil)
    }

    @Test func aNewerKeyTakesItsPlaceFromThenOn() throws {
        try cache.add(first, spaceId: "a")
        try cache.add(first, spaceId: "b")
        advance(to: 2_000)
        try cache.add(second, spaceId: "a")
        advance(to: 3_000)
        for _ in 0..<3 { try cache.add(second, spaceId: "a") }
        try cache.add(third, spaceId: "a")
        #expect(try filing(first, "a")?.supersededAt == 2_000)
        #expect(try filing(second, "a")?.supersededAt == 3_000)
        #expect(try filing(third, "a")?.supersededAt == nil)
        #expect(try filing(first, "b")?.supersededAt == nil, "another space's key stays")
    }

    @Test func theRowOfASpaceThatWasLeftSupersedesNothing() throws {
        try cache.add(second, spaceId: "a")
        try cache.add(first, spaceId: "a", isCurrent: false)
        try cache.add(second, spaceId: "a", isCurrent: false)
        #expect(try filing(second, "a")?.supersededAt == nil)
        #expect(try filing(first, "a")?.supersededAt == 1_000)
    }

    // Two servers of one device may be a while apart.
    @Test func aKeyThatIsSeenAgainIsTheSpacesKeyAgain() throws {
        try cache.add(first, spaceId: "a")
        try cache.add(second, spaceId: "a")
        advance(to: 5_000)
        try cache.add(first, spaceId: "a")
        #expect(try filing(first, "a")?.supersededAt == nil)
        #expect(try filing(second, "a")?.supersededAt == 5_000)
    }

    @Test func aClockThatWasAheadIsMadeGood() throws {
        advance(to: 9_000_000)
        try cache.add(first, spaceId: "a")
        try cache.add(second, spaceId: "a")
        advance(to: 4_000)
        try cache.add(second, spaceId: "a")
        #expect(try filing(first, "a")?.supersededAt == 4_000)
    }

    @Test func theAccountsOfTheRowsAreKept() throws {
        let (anna, ben) = (SigningKey().publicKey, SigningKey().publicKey)
        try cache.add(first, spaceId: "a", account: anna)
        try cache.add(first, spaceId: "a", account: ben)
        try cache.add(first, spaceId: "a", account: anna)
        try cache.add(first, spaceId: "a")
        #expect(try filing(first, "a")?.accounts == [anna, ben])
        for _ in 0..<100 { try cache.add(first, spaceId: "a", account: SigningKey().publicKey) }
        #expect(try filing(first, "a")?.accounts.count == 32)
    }

    @Test func aKeyFileOfTheVersionBeforeIsOfTheSpaceInIt() throws {
        _ = try cache
        try writeOld(first, spaceId: "a")
        try writeOld(second, spaceId: "")
        #expect(try cache.key(withId: first.keyId) == first)
        #expect(try filing(first, "a") == KeyFiling())
        #expect(try filing(first, "b") == nil)
        #expect(try filing(second, "") == nil, "a key without a space is of none until it is filed again")
        // The first row that is seen says which of the old keys is the space's.
        advance(to: 2_000)
        try writeOld(third, spaceId: "a")
        try cache.add(third, spaceId: "a")
        try cache.add(second, spaceId: "b")
        advance(to: 3_000)
        #expect(try filing(third, "a")?.supersededAt == nil)
        #expect(try filing(first, "a")?.supersededAt == 2_000)
        #expect(try filing(second, "b") == KeyFiling())
    }

    @Test func aDamagedFilingCostsThatFilingUntilItIsMadeAgain() throws {
        try cache.add(first, spaceId: "a")
        let file = try #require(directory.filings.first)
        #expect(directory.permissions(of: file) == 0o600)
        let whole = try directory.text(of: file)
        let damaged = [
            "", "{}", "[]", whole.dropLast(2) + "", whole.split(separator: "\"a\"").joined(separator: "\"b\""),
            String(repeating: " ", count: 9_000),
        ]
        for text in damaged {
            try directory.write(text, to: file)
            #expect(throws: KeyCacheError.self) { try filing(first, "a") }
            #expect(try cache.key(withId: first.keyId) == first)
            try cache.add(first, spaceId: "a")
            #expect(try filing(first, "a") == KeyFiling())
        }
        try directory.write(whole.split(separator: "\"version\":1").joined(separator: "\"version\":2"), to: file)
        #expect(throws: KeyCacheError.unsupportedVersion(path: directory.file(file), found: 2)) {
            try filing(first, "a")
        }
    }

    @Test(arguments: [FileStep.createTemporary, .write, .synchronize, .publish])
    func aFilingThatFailsLeavesASupersededKeyAtMost(_ step: FileStep) throws {
        try cache.add(first, spaceId: "a")
        advance(to: 2_000)
        // The second key's own file is made; then the disk is full.
        let faults = Faults()
        let failing = try KeyCache(directory: directory.path, unixTime: { 2_000 }, fault: faults.fault)
        faults.before(.synchronizeFolder) { faults.fail(at: step) }
        #expect(throws: KeyCacheError.self) { try failing.add(second, spaceId: "a") }
        #expect(try cache.key(withId: second.keyId) == second)
        #expect(try filing(second, "a")?.supersededAt == 1_000)
        #expect(try filing(first, "a")?.supersededAt == nil)
        try cache.add(second, spaceId: "a")
        #expect(try filing(second, "a")?.supersededAt == nil)
        #expect(try filing(first, "a")?.supersededAt == 2_000)
    }

    private func advance(to seconds: Int64) { time.withLock { $0 = seconds } }

    private func filing(_ key: SymmetricKey, _ spaceId: String) throws -> KeyFiling? {
        try cache.filing(ofKeyWithId: key.keyId, spaceId: spaceId)
    }

    private func writeOld(_ key: SymmetricKey, spaceId: String) throws {
        let text = Data(key.rawBytes()).base64EncodedString()
        let record = #"{"encKey":"\#(text)","encKeyId":"\#(key.keyId)","spaceId":"\#(spaceId)","version":1}"#
        try SecretFile(path: directory.file(key.keyId + ".json")).replace(with: Array(record.utf8))
    }
}
