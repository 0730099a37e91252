import AnySyncWire
import ProtoWire
import PushCrypto

/// The requests that drpc.json describes instead of holding: the topics of `notifyRequest`, and a message whose payload is
/// long and whose signature is the byte 01.
struct DrpcBigRequest {
    private let topics: [UInt8]

    /// - Parameter notifyRequest: the file's field of that name.
    init(notifyRequest: [UInt8]) throws {
        var reader = ProtoReader(notifyRequest)
        var topics = ProtoWriter()
        while let field = try reader.nextField() {
            if field == 1 {
                topics.element(1, try reader.slice())
            } else {
                try reader.skip()
            }
        }
        self.topics = topics.bytes
    }

    /// The request that was cut into these frames, found by its length and its pieces' hashes.
    func request(of frames: [DrpcFrame]) throws -> [UInt8] {
        let total = frames.reduce(0) { $0 + Int($1.header.length) }
        for payload in try payloads(total) {
            let request = request(payload)
            var rest = request[...]
            let isIt = frames.allSatisfy { frame in
                let piece = rest.prefix(Int(frame.header.length))
                rest = rest.dropFirst(piece.count)
                return frame.data.map { $0[...] == piece } ?? (Digest.sha256(piece) == frame.dataHash)
            }
            if isIt { return request }
        }
        throw VectorMismatch("no payload of the kinds described has these hashes")
    }

    private func payloads(_ total: Int) throws -> [[UInt8]] {
        let most = total - topics.count
        guard let count = (max(0, most - 32)...max(0, most)).first(where: { size(ofPayload: $0) == total }) else {
            throw VectorMismatch("no payload gives a request of \(total) bytes")
        }
        return [BigBytes.prefix(count)] + (UInt8.min...UInt8.max).map { [UInt8](repeating: $0, count: count) }
    }

    private func size(ofPayload count: Int) -> Int {
        request([UInt8](repeating: 0, count: count)).count
    }

    private func request(_ payload: [UInt8]) -> [UInt8] {
        var message = ProtoWriter(reserving: payload.count + 16)
        message.bytes(2, payload)
        message.bytes(3, [1])
        var writer = ProtoWriter(reserving: payload.count + 32)
        writer.element(2, message.bytes)
        return topics + writer.bytes
    }
}
