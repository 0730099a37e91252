import PushCrypto
import VectorReplay

/// The input of the ACL target.
enum ACLFuzzLog {
    private static let lengthByteCount = 4

    /// Joins messages to an input.
    static func joined(_ messages: [[UInt8]]) -> [UInt8] {
        messages.flatMap { message in
            (0..<lengthByteCount).reversed().map { UInt8(truncatingIfNeeded: message.count >> (8 * $0)) } + message
        }
    }

    /// Splits an input. What is no record is taken for the payload of one, with the id that it should have.
    static func records(in bytes: [UInt8]) -> [RawRecordWithId] {
        var rest = bytes[...]
        var records: [RawRecordWithId] = []
        while rest.count >= lengthByteCount {
            let length = rest.prefix(lengthByteCount).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(lengthByteCount)
            let message = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            let record = try? RawRecordWithId(marshalled: message)
            records.append(record ?? RawRecordWithId(payload: message, id: CID(of: message).text))
        }
        return records
    }

    /// The accounts of the golden vectors.
    static let accounts: [SigningKey] = seeds.compactMap { try? SigningKey(seed: $0) }

    private static let seeds: [[UInt8]] = [
        "0b39681138f477c96e1e60858909ed370e58935633a8f9ab5d79e4913c0de932",  // owner
        "54006d726bd4b8ce85e6640ba7fe22b6c0de53a45a2c61bf6cbf9df8f2a23a12",  // outsider
        "1a748295b1a4190b182b91b87ca249e5e45c7fdf39d290f5bb6f6fbbc309516e",  // bob
        "c48f81403d29b8d5e0f1dd265c989a48d3c24885570cc6d9c4ade7dc6ea48a44",  // carol
        "ca1f3f435d9bb7297024234bba87bd8c0eb42e33998861c325e58e404d695e71",  // dave
        "2b42a0d1f2c6aed0a71ad3310d39daf635656b66f31a82b6f65fb2b3a0785e45",  // erin
        "e039dedb661e93d3b98cf2f1930930a93f349177d22aec65b9f4453f9b4b2594",  // gus
        "2a496ad5487c8fff7679e504a1d7e48fb7cee7c389ed4a7cb15705546fea8b30",  // alice
        "729adcfde82fdfdb3fe0206db32aa512fba920600099b2224b94edca7b38107c",  // frank
    ].compactMap(Hexadecimal.decode)
}
