import FoundationEssentials
import ProtoWire
import TestSupport
import Testing
import VectorReplay

@testable import PushCrypto

/// The first record of a log.
@Suite struct ACLRootTests {
    private static let modes: [ACLVerification] = [
        .full, .network(networkKey: nil), .network(networkKey: Cast.network.publicKey),
    ]

    private func refusal(
        of root: RawRecordWithId, _ mode: ACLVerification, account: SigningKey? = Cast.owner
    ) -> ACLError.Reason? {
        do throws(ACLError) {
            _ = try ACLLog(root: root, account: account, mode: mode)
            return nil
        } catch {
            #expect(error.recordIndex == 0)
            return error.reason
        }
    }

    /// The root of a space, edited and signed again.
    private func root(
        of record: RawRecordWithId? = nil, by author: SigningKey = Cast.owner, _ edit: (inout ACLRoot) -> Void
    ) throws -> RawRecordWithId {
        let record = try record ?? TestSpace().records[0]
        var root = try ACLRoot(decoding: RawRecord(decoding: record.payload[...]).payload)
        edit(&root)
        return RawRecordWithId(RawRecord(signing: root.marshalled(), with: author))
    }

    @Test(arguments: modes) func aLogBeginsWithARoot(_ mode: ACLVerification) throws {
        #expect(throws: ACLError(recordIndex: 0, recordId: "", reason: .rootMissing)) {
            try ACLLog(records: [], account: nil, mode: mode)
        }
        #expect(try refusal(of: root { _ in }, mode) == nil)
        var record = try root { _ in }
        record.payload.append(0)
        #expect(refusal(of: record, mode) == .malformed(.rawRecord, .illegalFieldNumber(0)))
        record = try root { _ in }
        record.id = "root"
        #expect(refusal(of: record, mode) == .wrongId(expected: CID(of: record.payload)))
        record = try root(by: Cast.outsider) { _ in }
        #expect(refusal(of: record, mode) == .signatureInvalid(.signature))
        record = try root { $0.metadataPublicKey = [] }
        #expect(refusal(of: record, mode) == .keyUnreadable(.metadataPublicKey, .wrongLength(expected: 32, found: 0)))
    }

    @Test(arguments: modes) func theOwnerOpensItsKeys(_ mode: ACLVerification) throws {
        // Nobody else can tell whether they open, so by the rules they need not.
        let isChecked = mode == .full
        var record = try root { $0.encryptedReadKey = [1] }
        #expect(refusal(of: record, mode) == (isChecked ? nil : .cannotDecrypt(.readKey)))
        #expect(refusal(of: record, mode, account: Cast.outsider) == nil)
        #expect(refusal(of: record, mode, account: nil) == nil)
        record = try root { $0.encryptedMetadataKey = [1] }
        #expect(refusal(of: record, mode) == (isChecked ? nil : .cannotDecrypt(.metadataKey)))
        #expect(refusal(of: record, mode, account: Cast.outsider) == nil)
    }

    @Test func theMasterKeyVouchesForTheOwner() throws {
        let forged = try root { $0.identitySignature = Cast.outsider.signature(for: [1])[...] }
        #expect(refusal(of: forged, .full) == .signatureInvalid(.identitySignature))
        #expect(refusal(of: forged, .network(networkKey: nil)) == nil)
        let without = try root { $0.masterKey = [] }
        #expect(refusal(of: without, .full) == .keyUnreadable(.masterKey, .wrongLength(expected: 32, found: 0)))
    }

    // MARK: Spaces of two

    @Test func bothWritersShareAllKeys() throws {
        let (first, second) = (Cast.writer, Cast.reader)
        let root = try RawRecordWithId.oneToOneRoot(account: first, other: second.publicKey)
        #expect(try RawRecordWithId.oneToOneRoot(account: second, other: first.publicKey) == root)
        for mode in Self.modes {
            let states = try [first, second].map { try ACLLog(root: root, account: $0, mode: mode).state }
            #expect(try states[0].pushKeys() == states[1].pushKeys())
            for state in states {
                #expect(state.isOneToOne && state.permissions == .writer && state.memberCount == 3)
            }
            let outsider = try ACLLog(root: root, account: Cast.outsider, mode: mode).state
            #expect(throws: ACLKeyUnavailable.neverMember) { try outsider.pushKeys() }
            #expect(throws: ACLKeyUnavailable.neverMember) { try outsider.firstMetadataKey() }
        }
    }

    @Test func theRootIsTheReferences() throws {
        let file = try JSON.parse(Data(contentsOf: Repository.vectors.appendingPathComponent("acl.json")))
        var count = 0
        for vector in try file.array("cases") where try vector.string("kind") == "state" {
            let views = try vector.array("views")
            guard try views.first?.bool("isOneToOne") == true else { continue }
            let writers = try views.filter { $0["currentReadKey"] != nil }
                .map { try SigningKey(rawRepresentation: $0.hex("signKey")) }
            let root = try RawRecordWithId.oneToOneRoot(account: writers[0], other: writers[1].publicKey)
            #expect(try root.payload == vector.array("records")[0].hex("payload"))
            #expect(try root.id == vector.array("records")[0].string("id"))
            count += 1
        }
        #expect(count > 0)
    }

    @Test func aSpaceOfTwoIsOfTwo() throws {
        let good = try RawRecordWithId.oneToOneRoot(account: Cast.writer, other: Cast.reader.publicKey)
        let owner = try OneToOneKeys(account: Cast.writer, other: Cast.reader.publicKey).owner
        let edited = { (edit: (inout ACLRoot.OneToOneInfo) -> Void) throws in
            try self.root(of: good, by: owner) { root in
                var info = root.oneToOneInfo ?? ACLRoot.OneToOneInfo()
                edit(&info)
                root.oneToOneInfo = info
            }
        }
        for account in [Cast.writer, Cast.outsider, nil] {
            for mode in Self.modes {
                var root = try edited { $0.writers.append(Cast.admin.publicKey.marshalled[...]) }
                #expect(refusal(of: root, mode, account: account) == .wrongNumberOfWriters(expected: 2, found: 3))
                root = try edited { $0.owner = nil }
                #expect(refusal(of: root, mode, account: account) == .ownerMissing)
                root = try edited { $0.owner = [] }
                let noKey = KeyError.wrongLength(expected: 32, found: 0)
                #expect(refusal(of: root, mode, account: account) == .keyUnreadable(.owner, noKey))
                root = try edited { $0.writers[0] = [] }
                #expect(refusal(of: root, mode, account: account) == .keyUnreadable(.writer, noKey))
            }
        }
        let otherOwner = try edited { $0.owner = Cast.admin.publicKey.marshalled[...] }
        let notShared = ACLError.Reason.ownerNotShared(expected: owner.publicKey, found: Cast.admin.publicKey)
        #expect(refusal(of: otherOwner, .network(networkKey: nil), account: Cast.writer) == notShared)
        let notAuthor = ACLError.Reason.ownerNotAuthor(expected: Cast.admin.publicKey, found: owner.publicKey)
        #expect(refusal(of: otherOwner, .full, account: Cast.writer) == notAuthor)
        #expect(refusal(of: otherOwner, .full, account: nil) == notAuthor)
    }

    @Test(arguments: [ACLVerification.full, .network(networkKey: nil)])
    func nothingFollowsTheRootOfTwo(_ mode: ACLVerification) throws {
        let root = try RawRecordWithId.oneToOneRoot(account: Cast.writer, other: Cast.reader.publicKey)
        var log = try ACLLog(root: root, account: Cast.writer, mode: mode)
        let next = try TestSpace().record(data: [], by: Cast.writer, after: root.id)
        #expect(throws: ACLError(recordIndex: 1, recordId: next.id, reason: .oneToOneSpaceIsClosed)) {
            try log.append(next)
        }
    }

    @Test func nothingIsSharedWithAPointOfSmallOrder() throws {
        let other = try PublicKey(rawRepresentation: SmallOrderPoints.canonical[0])
        #expect(throws: ACLWriteError.noSharedKeys(.unusableForEncryption)) {
            try RawRecordWithId.oneToOneRoot(account: Cast.writer, other: other)
        }
    }

    // MARK: Derived spaces

    @Test func aDerivedSpaceHasNoPushKeys() throws {
        let derived = try root { root in
            root.encryptedReadKey = nil
            root.metadataPublicKey = []
            root.encryptedMetadataKey = []
            root.encryptedOwnerMetadata = []
        }
        var log = try ACLLog(root: derived, account: Cast.owner, mode: .full)
        #expect(try log.state.currentReadKey() == DerivedSpaceKeys.readKey(of: Cast.owner))
        #expect(throws: ACLKeyUnavailable.noMetadataKey) { try log.state.firstMetadataKey() }
        #expect(throws: ACLKeyUnavailable.noMetadataKey) { try log.state.pushKeys() }
        #expect(throws: ACLWriteError.keyUnavailable(.noMetadataKey)) {
            try log.makeRecord(
                [.add([.init(identity: Cast.writer.publicKey, permissions: .writer)])], timestamp: 2
            )
        }
    }
}
