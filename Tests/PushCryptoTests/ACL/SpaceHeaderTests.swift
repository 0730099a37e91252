import ProtoWire
import Testing

@testable import PushCrypto

@Suite struct SpaceHeaderTests {
    private let header = SpaceHeader(
        identity: Cast.owner.publicKey, timestamp: 5, spaceType: "anytype.space", replicationKey: 36 * 36 + 11,
        seed: [UInt8](repeating: 7, count: SpaceHeader.seedByteCount), payload: [1, 2]
    )

    @Test func theIdFollowsFromTheHeader() throws {
        let signed = header.signed(by: Cast.owner)
        #expect(signed == header.signed(by: Cast.owner))
        #expect(signed.spaceId == CID(of: signed.rawHeader).text + ".10b")
        let raw = try fields(signed.rawHeader[...])
        let content = try #require(raw[1])
        #expect(Cast.owner.publicKey.isValidSignature(try #require(raw[2]), for: content))
        let written = try fields(content)
        #expect(written[1].map(Array.init) == Cast.owner.publicKey.marshalled)
        #expect(written[3].map(Array.init) == Array("anytype.space".utf8))
        #expect(written[5]?.count == 32)
        #expect(written[6].map(Array.init) == [1, 2])
        // identity, timestamp, spaceType, replicationKey, seed, spaceHeaderPayload, fileprotoVersion
        #expect(Set(written.keys) == [1, 2, 3, 4, 5, 6, 9])
    }

    @Test func twoSpacesHaveTwoSeeds() {
        let make = {
            SpaceHeader(identity: Cast.owner.publicKey, timestamp: 5, spaceType: "t", replicationKey: 1)
                .signed(by: Cast.owner).spaceId
        }
        #expect(make() != make())
    }

    @Test func aSignedHeaderIsReadAsItWasWritten() throws {
        let signed = header.signed(by: Cast.owner)
        #expect(try SpaceHeader(verifying: signed.rawHeader, spaceId: signed.spaceId) == header)
    }

    @Test func noOtherHeaderIsRead() throws {
        let signed = header.signed(by: Cast.owner)
        #expect(throws: SpaceHeaderError.wrongId(expected: signed.spaceId)) {
            try SpaceHeader(verifying: signed.rawHeader, spaceId: CID(of: signed.rawHeader).text + ".10c")
        }
        let stolen = header.signed(by: Cast.outsider)
        #expect(throws: SpaceHeaderError.signatureInvalid) {
            try SpaceHeader(verifying: stolen.rawHeader, spaceId: stolen.spaceId)
        }
        for count in 0..<signed.rawHeader.count {
            #expect(throws: SpaceHeaderError.self) {
                try SpaceHeader(verifying: Array(signed.rawHeader[..<count]), spaceId: signed.spaceId)
            }
        }
        for position in signed.rawHeader.indices {
            var altered = signed.rawHeader
            altered[position] ^= 0x10
            #expect(throws: SpaceHeaderError.self) {
                try SpaceHeader(verifying: altered, spaceId: signed.spaceId)
            }
        }
    }

    @Test func bothOfTwoMakeTheSameHeader() throws {
        let mine = try SpaceHeader.oneToOne(account: Cast.owner, other: Cast.outsider.publicKey, spaceType: "two")
        #expect(
            mine == (try SpaceHeader.oneToOne(account: Cast.outsider, other: Cast.owner.publicKey, spaceType: "two")))
        let read = try SpaceHeader(verifying: mine.rawHeader, spaceId: mine.spaceId)
        #expect(read.spaceType == "two" && read.timestamp == 0 && read.seed == [])
        let root = try RawRecordWithId.oneToOneRoot(account: Cast.owner, other: Cast.outsider.publicKey)
        #expect(try ACLLog(root: root, account: nil, mode: .full).state.owner == read.identity)
        let other = try SpaceHeader.oneToOne(account: Cast.owner, other: SigningKey().publicKey, spaceType: "two")
        #expect(other.spaceId != mine.spaceId)
    }

    private func fields(_ bytes: ArraySlice<UInt8>) throws -> [Int: ArraySlice<UInt8>] {
        var reader = ProtoReader(bytes)
        var fields: [Int: ArraySlice<UInt8>] = [:]
        while let field = try reader.nextField() {
            if let value = try? reader.slice() {
                fields[field] = value
            } else {
                fields[field] = []
                try reader.skip()
            }
        }
        return fields
    }
}
