import Glibc
import Testing

@testable import PushCrypto

/// A record costs what it changes, whatever the log has grown to.
@Suite struct ACLScaleTests {
    /// A journal with many members, whose identities need not be points here.
    private func crowd(_ count: Int) throws -> ACLJournal {
        var journal = try TestSpace().log.journal
        for number in 0..<count {
            var bytes = [UInt8](repeating: 0, count: PublicKey.byteCount)
            for byte in 0..<4 { bytes[byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
            let position = journal.position(of: PublicKey(unchecked: bytes))
            journal.update(position) { $0.permissions = .reader }
        }
        journal.commit(recordId: "crowd")
        return journal
    }

    private func address(_ journal: borrowing ACLJournal) -> UnsafeRawPointer? {
        journal.state.accounts.withUnsafeBytes { $0.baseAddress }
    }

    @Test func aRecordCopiesNoTable() throws {
        var space = try TestSpace()
        try space.write(
            .add([Cast.writer, Cast.reader].map { .init(identity: $0.publicKey, permissions: .writer) }), by: Cast.owner
        )
        var log = space.log
        let good = try log.makeRecord([.setPermissions(of: Cast.writer.publicKey, to: .reader)], timestamp: 2)
        let bad = space.record([.unknown], by: Cast.owner)
        // `space` holds the tables too, so the first change copies them, and no other one does.
        try log.append(good)
        let before = address(log.journal)
        let next = try log.makeRecord([.setPermissions(of: Cast.writer.publicKey, to: .writer)], timestamp: 3)
        try log.append(next)
        #expect(throws: ACLError.self) { try log.admit(bad) }
        #expect(address(log.journal) == before)
    }

    @Test func anAccountIsChangedAmongManyAsAmongFew() throws {
        let few = try nanosecondsPerChange(among: 200)
        let many = try nanosecondsPerChange(among: 20_000)
        // A table that is copied for every change would make it a hundred times as much.
        #expect(many < few * 12)
    }

    /// The processor time of this thread for one change: made, kept, made again and taken back.
    private func nanosecondsPerChange(among count: Int) throws -> Double {
        var journal = try crowd(count)
        let rounds = 400
        var best = Double.infinity
        for _ in 0..<5 {
            let start = threadTime()
            for round in 0..<rounds {
                let position = round % count
                journal.update(position) { $0.permissions = .writer }
                journal.setInvite("invite", nil)
                journal.commit(recordId: "record")
                journal.update(position) { $0.permissions = .reader }
                journal.rollBack()
            }
            best = min(best, threadTime() - start)
        }
        return best / Double(rounds)
    }

    private func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    @Test func aFailureTakesEverythingBack() throws {
        let house = try #require(FullHouse.shared)
        // Every kind of change in one record, and then one that is refused.
        let contents: [ACLContent] = [
            house.invite(.requestToJoin, .none, readKey: nil), house.inviteChange(house.openId, .reader),
            house.inviteRevoke(house.askId), house.add((Cast.outsider, .reader)), house.decline(house.joinRequestId),
            house.changes((Cast.writer, .reader)), house.remove([Cast.outsider, Cast.leaver], nil),
        ]
        var log = house.space.log
        let record = house.space.record(contents, by: Cast.owner)
        let index = contents.count - 1
        #expect(
            throws: ACLError(
                recordIndex: house.space.state.recordCount, recordId: record.id, contentIndex: index,
                reason: .missing(.readKeyChange)
            )
        ) { try log.append(record) }
        #expect(log.state == house.space.state)
        let removal = house.space.record(
            Array(contents.dropLast()) + [.readKeyChange(house.keyChange(with: [Cast.outsider])), .unknown],
            by: Cast.owner
        )
        #expect(throws: ACLError.self) { try log.admit(removal) }
        #expect(log.state == house.space.state)
        try log.append(removal)
        #expect(log.state != house.space.state)
    }

    @Test func whoComesBackWalksNoFurtherThanNeeded() throws {
        var space = try TestSpace()
        let member = ACLChange.NewMember(identity: Cast.writer.publicKey, permissions: .writer)
        for _ in 0..<4 {
            try space.write(.changeReadKey(ACLKeys()), by: Cast.owner)
            try space.write(.add([member]), by: Cast.owner)
            try space.write(.remove([Cast.writer.publicKey], keys: ACLKeys()), by: Cast.owner)
        }
        try space.write(.add([member]), by: Cast.owner)
        let state = try space.state(of: Cast.writer)
        #expect(state.generations.map(\.isWalked) == state.generations.map { _ in true })
        #expect(state.generations.map(\.readKey) == space.state.generations.map(\.readKey))
    }
}
