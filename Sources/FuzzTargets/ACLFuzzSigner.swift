import ProtoWire
import PushCrypto

/// Signs the records of a changed log anew and puts each in its place, as a member with bad intent would.
struct ACLFuzzSigner {
    // Signing gives a record another id, by which later records must name it.
    private var newIds: [[UInt8]: [UInt8]] = [:]

    /// The record with the same contents, by the same author where its key is known.
    ///
    /// - Parameters:
    ///   - record: any record.
    ///   - state: what the record will find; `nil` when it is the root.
    /// - Returns: `nil` when the record has no contents that could be signed.
    mutating func signed(_ record: RawRecordWithId, in state: ACLState?) -> RawRecordWithId? {
        guard let raw = try? RawRecord(decoding: record.payload[...]) else { return nil }
        let signed: RawRecordWithId
        if let state {
            guard var content = try? ACLRecord(decoding: raw.payload) else { return nil }
            let author = Self.author(content.identity)
            content.prevId = WireString(state.head)
            content.identity = author.publicKey.marshalled[...]
            content.data = renamed(content.data)[...]
            signed = RawRecordWithId(RawRecord(signing: content.marshalled(), with: author))
        } else {
            guard let root = try? ACLRoot(decoding: raw.payload) else { return nil }
            signed = RawRecordWithId(RawRecord(signing: Array(raw.payload), with: Self.author(root.identity)))
        }
        newIds[Array(record.id.utf8)] = Array(signed.id.utf8)
        return signed
    }

    private func renamed(_ data: ArraySlice<UInt8>) -> [UInt8] {
        var data = Array(data)
        var position = 0
        while position + CID.textLength <= data.count {
            if data[position] == UInt8(ascii: "b"), let id = newIds[Array(data[position..<position + CID.textLength])] {
                data.replaceSubrange(position..<position + CID.textLength, with: id)
            }
            position += 1
        }
        return data
    }

    private static func author(_ identity: ArraySlice<UInt8>) -> SigningKey {
        let key = try? PublicKey(marshalled: identity)
        return ACLFuzzLog.accounts.first { $0.publicKey == key } ?? ACLFuzzLog.accounts[0]
    }
}
