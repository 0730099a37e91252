import PushCrypto
import TestSupport
import Testing

@testable import PushNode

/// Keys from real ACL logs, as a directory has them.
@Suite(.timeLimit(.minutes(5))) struct SpaceKeyringTests {
    private let owner = SigningKey()
    private let member = SigningKey()
    private let directory = MemoryDirectory()

    private func keyring(
        of account: SigningKey, _ change: (inout SpaceKeyring.Limits) -> Void = { _ in }
    ) -> SpaceKeyring {
        var limits = SpaceKeyring.Limits()
        change(&limits)
        return SpaceKeyring(account: account, directory: directory, verification: .full, limits: limits)
    }

    private func space() throws -> MemberedSpace {
        let space = try MemberedSpace(owner: owner)
        directory.put(space)
        return space
    }

    @Test func everyMemberHasTheSameKeysAndARotationChangesOne() async throws {
        let space = try space()
        try space.add(member)
        let keyring = keyring(of: member)
        let first = try #require(try await keyring.keys(of: space.id))
        #expect(first == (try space.keys))
        try space.rotate()
        let second = try #require(try await keyring.keys(of: space.id))
        #expect(second == (try space.keys))
        #expect(second.spaceKey == first.spaceKey && second.encryptionKeyId != first.encryptionKeyId)
    }

    @Test func onlyAMemberOfNowHasKeys() async throws {
        let space = try space()
        let keyring = keyring(of: member)
        #expect(try await keyring.keys(of: space.id) == nil, "never a member")
        try space.add(member)
        let joined = try await keyring.keys(of: space.id)
        #expect(joined != nil)
        try space.remove(member)
        // It still derives the space push key: that is not what counts.
        let log = try ACLLog(records: space.records, account: member, mode: .full)
        #expect(try SpacePushKeys.spaceKey(firstMetadataKey: log.state.firstMetadataKey()) == joined?.spaceKey)
        #expect(try await keyring.keys(of: space.id) == nil, "removed")
        guard case .failure(.removed) = try await keyring.standing(in: space.id).keys else {
            Issue.record("the standing does not say that the account was removed")
            return
        }
        try space.add(member)
        #expect(try await keyring.keys(of: space.id) == (try space.keys), "a member again")
    }

    @Test func aLogIsReadOnceAndContinued() async throws {
        let space = try space()
        for _ in 0..<9 { try space.rotate() }
        let keyring = keyring(of: owner) { $0.recordsPerPage = 4 }
        _ = try await keyring.keys(of: space.id)
        #expect(directory.reads == [0..<4, 4..<8, 8..<10])
        _ = try await keyring.keys(of: space.id)
        #expect(directory.reads.dropFirst(3) == [9..<10], "only whether it still ends as it did")
        try space.rotate()
        #expect(try await keyring.keys(of: space.id) == (try space.keys))
        #expect(directory.reads.dropFirst(4) == [9..<11, 10..<11])
    }

    @Test func aPageThatEndsWithTheLogIsFollowedByALook() async throws {
        let space = try space()
        for _ in 0..<7 { try space.rotate() }
        let keyring = keyring(of: owner) { $0.recordsPerPage = 4 }
        #expect(try await keyring.keys(of: space.id) == (try space.keys))
        #expect(directory.reads == [0..<4, 4..<8, 8..<8])
    }

    @Test func anotherLogInItsPlaceIsReplayedFromTheRoot() async throws {
        let space = try space()
        try space.rotate()
        try space.rotate()
        let keyring = keyring(of: owner)
        _ = try await keyring.keys(of: space.id)
        space.truncate(to: 2)
        let shorter = try ACLLog(records: space.records, account: owner, mode: .full)
        #expect(try await keyring.keys(of: space.id) == (try shorter.state.pushKeys()))
        let other = try MemberedSpace(owner: owner, id: space.id)
        for _ in 0..<5 { try other.rotate() }
        directory.put(other)
        #expect(try await keyring.keys(of: space.id) == (try other.keys))
    }

    @Test func whatIsNoLogOfTheSpaceIsAnError() async throws {
        let keyring = keyring(of: owner) { $0.recordsPerLog = 3 }
        await #expect(throws: SpaceKeyringError.noRecords) { try await keyring.keys(of: "nowhere") }
        let space = try space()
        let stranger = try MemberedSpace(owner: owner)
        directory.put(DirectorySpace(id: "mixed up", isActive: true, isOwned: true), chats: []) { stranger.records }
        await #expect(throws: SpaceKeyringError.wrongSpace(expected: "mixed up", found: stranger.id)) {
            try await keyring.keys(of: "mixed up")
        }
        for _ in 0..<3 { try space.rotate() }
        await #expect(throws: SpaceKeyringError.tooManyRecords(limit: 3)) { try await keyring.keys(of: space.id) }
        directory.fail(.records(space.id))
        await #expect(throws: MemoryDirectory.Unreadable.self) { try await keyring.keys(of: space.id) }
    }

    @Test func aRecordThatIsRefusedEndsTheLogAndCostsNoSecondReplay() async throws {
        let space = try space()
        for _ in 0..<5 { try space.rotate() }
        let good = try space.keys
        space.force(RawRecordWithId(payload: [1, 2, 3], id: "bad"))
        let keyring = keyring(of: owner)
        for _ in 0..<2 {
            await #expect(throws: SpaceKeyringError.self) { try await keyring.keys(of: space.id) }
        }
        #expect(directory.reads == [0..<7, 5..<7, 6..<7])
        space.truncate(to: 6)
        #expect(try await keyring.keys(of: space.id) == good)
    }

    @Test func whatIsKeptIsBounded() async throws {
        let spaces = try (0..<4).map { _ in try space() }
        for space in spaces { for _ in 0..<3 { try space.rotate() } }
        let keyring = keyring(of: owner) { $0.keptRecords = 9 }
        for space in spaces { _ = try await keyring.keys(of: space.id) }
        // The log of the first is not kept, but that it did not grow is all there is to know.
        let before = directory.reads.count
        #expect(try await keyring.keys(of: spaces[0].id) == (try spaces[0].keys))
        #expect(directory.reads.dropFirst(before) == [3..<4])
        try spaces[0].rotate()
        #expect(try await keyring.keys(of: spaces[0].id) == (try spaces[0].keys))
        #expect(directory.reads.dropFirst(before + 1) == [3..<5, 0..<5])
    }

    @Test func theLongestUnusedLogsGoFirst() throws {
        var logs = ReplayedLogs(recordLimit: 2)
        let space = try space()
        let log = try ACLLog(records: space.records, account: nil, mode: .full)
        logs.put(log, for: "a")
        logs.put(log, for: "b")
        if let used = logs.take("a") { logs.put(used, for: "a") }
        logs.put(log, for: "c")
        #expect(logs.count == 2 && logs.take("b") == nil && logs.take("a") != nil && logs.take("c") != nil)
        logs.put(log, for: "d")
        #expect(logs.count == 1, "what was taken does not count")
    }

    @Test func oneTaskReadsALogForAllThatAsk() async throws {
        let space = try space()
        for _ in 0..<20 { try space.rotate() }
        let keyring = keyring(of: owner)
        let expected = try space.keys
        try await withThrowingTaskGroup(of: SpacePushKeys?.self) { group in
            for _ in 0..<20 { group.addTask { try await keyring.keys(of: space.id) } }
            for try await keys in group { #expect(keys == expected) }
        }
        #expect(directory.reads.filter { $0.lowerBound == 0 }.count == 1)
    }

    @Test func whoeverIsCancelledDoesNotWaitForAnother() async throws {
        let space = try space()
        let gate = Flag()
        directory.intercept { _ in await eventually { gate.isSet } }
        let keyring = keyring(of: owner)
        let first = Task { try await keyring.keys(of: space.id) }
        await eventually { await keyring.isReading(space.id) }
        let second = Task { try await keyring.keys(of: space.id) }
        for _ in 0..<50 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.set()
        #expect(try await first.value == (try space.keys))
    }
}
