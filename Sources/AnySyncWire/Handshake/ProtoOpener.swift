/// The side that opens a stream: offers encodings and takes the one chosen (protocol.md §6).
///
/// DRPC may follow ``start()`` only once the answer is there, since its messages are encoded by it.
public struct ProtoOpener: Sendable {
    private let offer: ProtoOffer
    private var reader = HandshakeFrameReader()
    private var isOver = false

    /// - Parameter offer: what we want; by default DRPC, with snappy if the peer can.
    public init(offering offer: ProtoOffer = ProtoOffer(encodings: [.snappy, .none])) {
        self.offer = offer
    }

    /// Our message, to be written before anything is received.
    public func start() -> [UInt8] {
        offer.frame
    }

    /// Looks at what arrived.
    ///
    /// - Parameter input: what arrived; what the handshake takes is removed from its front. What follows stays.
    /// - Returns: the encoding, once the peer has answered. After a failure the stream is to be finished.
    public mutating func receive(
        _ input: inout ArraySlice<UInt8>
    ) -> HandshakeStep<MessageEncoding, ProtoHandshakeFailure> {
        guard !isOver else { return HandshakeStep(output: [], result: nil) }
        do {
            guard let frame = try reader.frame(onStream: &input, [.ack, .proto]) else {
                return HandshakeStep(output: [], result: nil)
            }
            isOver = true
            return HandshakeStep(output: [], result: .success(try encoding(chosenBy: frame)))
        } catch {
            isOver = true
            return HandshakeStep(output: [], result: .failure(error))
        }
    }

    private func encoding(chosenBy frame: HandshakeFrame) throws(ProtoHandshakeFailure) -> MessageEncoding {
        guard frame.kind == .proto else {
            let code: HandshakeAck.Code
            do {
                code = try HandshakeAck(decoding: frame.body).code
            } catch {
                throw .malformed(error)
            }
            // Peers that know no encodings answer an ack.
            guard code == .null else { throw .refusedByPeer(code) }
            return .none
        }
        let answer = try frame.offer()
        guard answer.proto == offer.proto else { throw .answerNotOffered(answer) }
        guard let chosen = answer.encodings.first else { return .none }
        guard let encoding = MessageEncoding(rawValue: chosen), encoding == .none || offer.encodings.contains(chosen)
        else { throw .answerNotOffered(answer) }
        return encoding
    }
}
