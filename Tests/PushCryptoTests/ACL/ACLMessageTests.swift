import ProtoWire
import Testing

@testable import PushCrypto

/// The messages of records on the wire.
@Suite struct ACLMessageTests {
    private func roundTrip(_ content: ACLContent, location: SourceLocation = #_sourceLocation) throws {
        let bytes = content.marshalled()
        #expect(try ACLContent(decoding: bytes[...]) == content, sourceLocation: location)
        #expect(!bytes.isEmpty, sourceLocation: location)
    }

    @Test func everyKindRoundTrips() throws {
        let house = try #require(FullHouse.shared)
        for content in [
            house.invite(.anyoneCanJoin, .writer), house.invite(.requestToJoin, .none, readKey: nil),
            house.inviteChange("id", .reader), house.inviteRevoke("id"),
            house.requestJoin(Cast.writer, "id", signedBy: house.askKey, metadataLength: 3),
            house.inviteJoin(Cast.writer, "id", signedBy: house.openKey, .reader, metadataLength: 3),
            house.inviteJoin(Cast.writer, "id", signedBy: house.openKey, readKey: nil),
            house.accept(Cast.writer, "id", .writer), house.decline("id"), house.cancel("id"),
            house.add((Cast.writer, .writer), (Cast.reader, .none)), house.changes((Cast.writer, .reader)),
            .permissionChange(house.change(Cast.writer, ACLPermissions(rawValue: -1))),
            house.ownership(Cast.writer, .admin), .readKeyChange(house.keyChange()), house.remove(Cast.writer),
            house.remove([], nil), .accountRequestRemove(ACLContent.AccountRequestRemove()),
            .spaceOptionsChange(ACLContent.SpaceOptionsChange()),
        ] {
            try roundTrip(content)
        }
        #expect(ACLContent.unknown.marshalled().isEmpty)
    }

    @Test func recordsRoundTrip() throws {
        let house = try #require(FullHouse.shared)
        for record in house.space.records {
            #expect(try RawRecordWithId(marshalled: record.marshalled()) == record)
            let raw = try RawRecord(decoding: record.payload[...])
            #expect(raw.marshalled() == record.payload)
        }
        let root = try RawRecord(decoding: house.space.records[0].payload[...])
        #expect(try ACLRoot(decoding: root.payload).marshalled() == Array(root.payload))
        let record = try RawRecord(decoding: house.space.records[1].payload[...])
        let signed = try ACLRecord(decoding: record.payload)
        #expect(signed.marshalled() == Array(record.payload))
        #expect(try ACLData(decoding: signed.data).marshalled() == Array(signed.data))
        #expect(throws: ProtoError.truncated) { try RawRecordWithId(marshalled: [0x0a, 1]) }
    }

    @Test func aSecondOccurrenceAddsToTheFirst() throws {
        let house = try #require(FullHouse.shared)
        let (first, second) = (house.add((Cast.writer, .writer)), house.add((Cast.reader, .reader)))
        let both = first.marshalled() + second.marshalled()
        #expect(try ACLContent(decoding: both[...]) == house.add((Cast.writer, .writer), (Cast.reader, .reader)))
        let other = first.marshalled() + house.decline("id").marshalled()
        #expect(try ACLContent(decoding: other[...]) == house.decline("id"))
        let unknown = house.decline("id").marshalled() + [0x9a, 0x06, 0]
        #expect(try ACLContent(decoding: unknown[...]) == house.decline("id"))
        #expect(try ACLContent(decoding: [0x9a, 0x06, 0]) == .unknown)
    }

    @Test func manyOccurrencesCostWhatTheyHold() throws {
        // Half a megabyte of one-entry occurrences: copying what came before at each would take minutes.
        let one = ACLContent.readKeyChange(
            try ACLContent.ReadKeyChange(decoding: [0x0a, 0x02, 0x0a, 0x00])
        ).marshalled()
        let count = 80_000
        let bytes = Array(repeatElement(one, count: count).joined())
        guard case .readKeyChange(let change) = try ACLContent(decoding: bytes[...]) else {
            Issue.record("another kind came out")
            return
        }
        #expect(change.accountKeys.count == count)
    }

    @Test func identitiesAreComparedAsKeys() throws {
        let key = Cast.writer.publicKey
        for marshalled in [
            key.marshalled, [0x08, 0x00] + key.marshalled, key.marshalled + [0x7a, 0x01, 0x00],
            [0x12, 0x01, 0x05] + key.marshalled,
        ] {
            #expect(try ACLIdentity.unchecked(marshalled[...]) == key)
        }
        #expect(throws: KeyError.wrongLength(expected: 32, found: 1)) { try ACLIdentity.unchecked([0x12, 0x01, 0x05]) }
    }
}
