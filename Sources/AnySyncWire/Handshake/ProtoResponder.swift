/// The side that takes a stream: chooses the first of the opener's encodings that it supports (protocol.md §6).
public struct ProtoResponder: Sendable {
    private let supported: [MessageEncoding]
    private var reader = HandshakeFrameReader()
    private var isOver = false

    /// - Parameter supported: the encodings that may be chosen. No encoding is always possible.
    public init(supporting supported: [MessageEncoding] = MessageEncoding.allCases) {
        self.supported = supported
    }

    /// Looks at what arrived.
    ///
    /// - Parameter input: what arrived; what the handshake takes is removed from its front. What follows stays.
    /// - Returns: what to write, and the encoding once the opener has asked. After a failure the stream is to be
    ///   finished.
    public mutating func receive(
        _ input: inout ArraySlice<UInt8>
    ) -> HandshakeStep<MessageEncoding, ProtoHandshakeFailure> {
        guard !isOver else { return HandshakeStep(output: [], result: nil) }
        do {
            guard let frame = try reader.frame(onStream: &input, [.proto]) else {
                return HandshakeStep(output: [], result: nil)
            }
            isOver = true
            let (answer, chosen) = try respond(to: try frame.offer())
            return HandshakeStep(output: answer, result: .success(chosen))
        } catch {
            isOver = true
            return HandshakeStep(output: error.ack.map { HandshakeAck($0).frame } ?? [], result: .failure(error))
        }
    }

    private func respond(
        to offer: ProtoOffer
    ) throws(ProtoHandshakeFailure) -> (answer: [UInt8], chosen: MessageEncoding) {
        guard offer.proto == ProtoOffer.drpc else { throw .protocolNotSpoken(offer.proto) }
        // An opener that offers nothing predates encodings and expects an ack.
        guard !offer.encodings.isEmpty else { return (HandshakeAck(.null).frame, .none) }
        let chosen = choose(from: offer.encodings)
        return (ProtoOffer(encodings: [chosen]).frame, chosen)
    }

    private func choose(from offered: [Int32]) -> MessageEncoding {
        for number in offered {
            if let encoding = MessageEncoding(rawValue: number), supported.contains(encoding) { return encoding }
        }
        return .none
    }
}
