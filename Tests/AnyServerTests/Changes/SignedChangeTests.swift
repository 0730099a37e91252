import ProtoWire
import PushCrypto
import Testing

@testable import AnyServer

struct SignedChangeTests {
    private let space = TestSpace()
    private let content = ChangeContent(counter: 7, createdAt: 1_700_000_000_123, kind: .message, body: [1, 2, 3])

    @Test func comesBackAsItWasMade() throws {
        let made = try space.change(content)
        let read = try SignedChange(made.bytes)
        #expect(read == made)
        #expect(try SignedChange(stored: made.bytes) == made)
        #expect(read.id == CID(of: made.bytes).text)
        #expect(read.author == space.owner.publicKey)
        #expect(read.spaceId == space.id)
        #expect(read.aclHeadId == space.log.state.head)
        #expect(try read.content(readKey: space.log.state.currentReadKey()) == content)
    }

    @Test func keepsKindsOfNewerSoftware() throws {
        let odd = ChangeContent(counter: 1, createdAt: -5, kind: ChangeKind(rawValue: 4711), body: [])
        let read = try SignedChange(try space.change(odd).bytes)
        #expect(try read.content(readKey: space.log.state.currentReadKey()) == odd)
    }

    @Test func everyAlteredByteIsRefused() throws {
        let made = try space.change(content).bytes
        for index in made.indices {
            var altered = made
            altered[index] ^= 0x10
            #expect(throws: ChangeError.self, "byte \(index)") { try SignedChange(altered) }
        }
        for count in 0..<made.count {
            #expect(throws: ChangeError.self, "cut to \(count)") { try SignedChange(Array(made.prefix(count))) }
        }
    }

    @Test func nobodyGivesItASecondId() throws {
        let made = try space.change(content).bytes
        var longer = ProtoWriter()
        longer.varint(9, 1)
        #expect(throws: ChangeError.notCanonical) { try SignedChange(made + longer.bytes) }
        #expect(throws: ChangeError.notCanonical) { try SignedChange(longer.bytes + made) }
        #expect(throws: ChangeError.notCanonical) { try SignedChange([0x0a, 0x00] + made) }
    }

    @Test func boundsLengths() throws {
        let limit = SignedChange.maximumByteCount
        #expect(throws: ChangeError.tooLong(limit: limit, found: limit + 1)) {
            try SignedChange([UInt8](repeating: 0, count: limit + 1))
        }
        let huge = ChangeContent(counter: 1, createdAt: 0, kind: .message, body: [UInt8](repeating: 1, count: limit))
        #expect { try space.change(huge) } throws: { error in
            guard case .tooLong(limit, _) = error as? ChangeError else { return false }
            return true
        }
        let longId = String(repeating: "s", count: SignedChange.maximumSpaceIdByteCount + 1)
        #expect(throws: ChangeError.wrongField("spaceId")) {
            try SignedChange(content, in: longId, space.log.state, by: space.owner)
        }
    }

    @Test(arguments: [0, ChangeContent.maximumCounter + 1, .max])
    func refusesCountersOutOfBounds(counter: UInt64) throws {
        let content = ChangeContent(counter: counter, createdAt: 0, kind: .message, body: [])
        #expect(throws: ChangeError.wrongField("counter")) { try ChangeContent(content.marshalled()[...]) }
    }

    @Test func anotherKeyDoesNotOpenIt() throws {
        let made = try space.change(content)
        #expect(throws: ChangeError.cannotOpen(.authenticationFailed)) { try made.content(readKey: SymmetricKey()) }
    }

    @Test func descriptionsShowNoContent() throws {
        let made = try space.change(content)
        #expect("\(made)" == "SignedChange(\(made.id) by \(made.author))")
    }
}
