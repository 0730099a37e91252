import PushCrypto
import PushReceiver
import SecretFiles
import Testing

/// What is left when the disk is full, or the process dies, at each step of adding a key: the key or nothing.
@Suite struct KeyCacheCrashTests {
    let directory: KeyDirectory
    let old = SymmetricKey()
    let new = SymmetricKey()

    init() throws {
        directory = try KeyDirectory()
    }

    @Test(arguments: [FileStep.createTemporary, .write, .synchronize, .publish])
    func aFailureBeforeTheKeyHasItsNameLeavesNothing(_ step: FileStep) throws {
        let faults = Faults()
        let cache = try KeyCache(directory: directory.path, fault: faults.fault)
        try cache.add(old, spaceId: "space")
        faults.fail(at: step)
        let path = directory.file(new.keyId + ".json")
        #expect(throws: KeyCacheError.unwritable(.failed(step, path: path, code: Faults.code))) {
            try cache.add(new, spaceId: "space")
        }
        #expect(directory.names == [old.keyId + ".json"])
        #expect(try cache.key(withId: old.keyId) == old)
        #expect(try cache.key(withId: new.keyId) == nil)
        faults.fail(at: nil)
        #expect(try cache.add(new, spaceId: "space"))
        #expect(try cache.key(withId: new.keyId) == new)
    }

    @Test(arguments: [FileStep.createTemporary, .write, .synchronize, .publish])
    func aDeathBeforeTheKeyHasItsNameIsMadeGoodByTheNextProcess(_ step: FileStep) throws {
        try KeyCache(directory: directory.path).add(old, spaceId: "space")
        for _ in 0..<3 {
            let dying = try KeyCache(directory: directory.path, fault: Faults(step, dies: true).fault)
            #expect(throws: KeyCacheError.self) { try dying.add(new, spaceId: "space") }
        }
        let next = try KeyCache(directory: directory.path)
        #expect(try next.key(withId: old.keyId) == old)
        #expect(try next.key(withId: new.keyId) == nil)
        #expect(try next.add(new, spaceId: "space"))
        #expect(try next.key(withId: new.keyId) == new)
        // What the dead processes left is gone too.
        #expect(directory.names == [old.keyId, new.keyId].map { $0 + ".json" }.sorted())
    }

    @Test(arguments: [FileStep.removeTemporary, .synchronizeFolder])
    func aDeathAfterTheKeyHasItsNameLeavesTheKey(_ step: FileStep) throws {
        let dying = try KeyCache(directory: directory.path, fault: Faults(step, dies: true).fault)
        #expect(throws: KeyCacheError.self) { try dying.add(new, spaceId: "space") }
        let next = try KeyCache(directory: directory.path)
        #expect(try next.key(withId: new.keyId) == new)
        #expect(try !next.add(new, spaceId: "space"))
        #expect(directory.names.filter { !$0.hasSuffix(".tmp") } == [new.keyId + ".json"])
    }

    @Test func aKeyThatCanNotBeReadIsNoUnknownKey() throws {
        let cache = try KeyCache(directory: directory.path, fault: Faults(.read).fault)
        let expected = KeyCacheError.unreadable(
            .failed(.read, path: directory.file(new.keyId + ".json"), code: Faults.code)
        )
        #expect(throws: expected) { try cache.key(withId: new.keyId) }
        #expect(throws: expected) { try cache.add(new, spaceId: "space") }
        #expect(directory.names.isEmpty)
    }

    // Two processes add the same key; the second does it all while the first is between two steps.
    @Test func theSameKeyFromTwoProcessesIsOneKey() throws {
        for step in [FileStep.createTemporary, .write, .synchronize, .publish] {
            let key = SymmetricKey()
            let other = try KeyCache(directory: directory.path)
            let faults = Faults()
            faults.before(step) { try #require(try other.add(key, spaceId: "space")) }
            #expect(try !KeyCache(directory: directory.path, fault: faults.fault).add(key, spaceId: "space"))
            #expect(try other.key(withId: key.keyId) == key)
            #expect(directory.names.filter { $0.hasPrefix(key.keyId) } == [key.keyId + ".json"])
        }
    }

    @Test func manyWritersAtOnceLoseNothing() async throws {
        let keys = (0..<40).map { _ in SymmetricKey() }
        let path = directory.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    let cache = try KeyCache(directory: path)
                    // Everyone adds every key, each beginning at another one.
                    for index in keys.indices {
                        try cache.add(keys[(index + writer * 5) % keys.count], spaceId: "space")
                    }
                }
            }
            try await group.waitForAll()
        }
        let cache = try KeyCache(directory: path)
        for key in keys { #expect(try cache.key(withId: key.keyId) == key) }
        #expect(directory.names == keys.map { $0.keyId + ".json" }.sorted())
    }
}
