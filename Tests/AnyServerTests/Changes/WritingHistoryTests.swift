import PushCrypto
import Testing

@testable import AnyServer

struct WritingHistoryTests {
    private let content = ChangeContent(counter: 1, createdAt: 0, kind: .message, body: [])

    @Test func judgesByTheRecordThatTheAuthorKnew() throws {
        var space = TestSpace()
        let member = SigningKey()
        let before = try space.change(content, by: member)
        try space.add(member, .writer)
        let asWriter = try space.change(content, by: member)
        try space.append(.setPermissions(of: member.publicKey, to: .reader))
        let asReader = try space.change(content, by: member)
        try space.append(.setPermissions(of: member.publicKey, to: .admin))
        let asAdmin = try space.change(content, by: member)
        try space.remove(member)
        let afterRemoval = try space.change(content, by: member)
        try space.add(member, .writer)
        let again = try space.change(content, by: member)

        for allowed in [asWriter, asAdmin, again] { try space.history.check(allowed, in: space.id) }
        for refused in [before, asReader, afterRemoval] {
            #expect(throws: ChangeError.mayNotWrite(member.publicKey)) {
                try space.history.check(refused, in: space.id)
            }
        }
    }

    @Test(arguments: [ACLPermissions.reader, .guest, ACLPermissions(rawValue: 77)])
    func onlyWritersWrite(permissions: ACLPermissions) throws {
        var space = TestSpace()
        let member = SigningKey()
        try space.add(member, permissions)
        #expect(throws: ChangeError.mayNotWrite(member.publicKey)) {
            try space.history.check(try space.change(content, by: member), in: space.id)
        }
    }

    @Test func refusesOtherSpacesAndUnknownRecords() throws {
        let space = TestSpace()
        let other = TestSpace()
        #expect(throws: ChangeError.wrongSpace(expected: space.id, found: other.id)) {
            try space.history.check(try other.change(content), in: space.id)
        }
        let foreign = try SignedChange(content, in: space.id, other.log.state, by: space.owner)
        #expect(throws: ChangeError.unknownRecord(other.log.state.head)) {
            try space.history.check(foreign, in: space.id)
        }
    }

    @Test func bothWritersOfAOneToOneSpaceMayWrite() throws {
        let (one, two) = (SigningKey(), SigningKey())
        let root = try RawRecordWithId.oneToOneRoot(account: one, other: two.publicKey)
        var history = WritingHistory()
        history.append(try ACLLog(root: root, account: one, mode: .full))
        for account in [one, two] {
            let state = try ACLLog(root: root, account: account, mode: .full).state
            let change = try SignedChange(content, in: "one", state, by: account)
            try history.check(change, in: "one")
            #expect(try change.content(readKey: state.currentReadKey()) == content)
        }
    }
}
