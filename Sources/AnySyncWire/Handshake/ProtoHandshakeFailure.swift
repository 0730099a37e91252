public import ProtoWire

/// Why a stream's proto handshake failed. It ends only that stream.
public enum ProtoHandshakeFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A frame of this type was not due.
    case unexpectedFrame(type: UInt8)
    /// A frame's declared size is over the limit, in bytes.
    case frameTooLarge(declared: UInt32)
    /// A frame's body is no message.
    case malformed(ProtoError)
    /// The opener wants a protocol that we do not speak.
    case protocolNotSpoken(Int32)
    /// The answer is an encoding that was not offered, or another protocol.
    case answerNotOffered(ProtoOffer)
    /// The peer refused the stream.
    case refusedByPeer(HandshakeAck.Code)

    public var description: String {
        switch self {
        case .unexpectedFrame(let type): "stream handshake: the peer sent a frame of type \(type), which was not due"
        case .frameTooLarge(let declared):
            "stream handshake: the peer announced \(declared) bytes, the limit is \(HandshakeFrame.maximumBodySize)"
        case .malformed(let error): "stream handshake: the peer's message does not decode: \(error)"
        case .protocolNotSpoken(let proto):
            "stream handshake: expected protocol \(ProtoOffer.drpc) (DRPC), the peer asked for \(proto)"
        case .answerNotOffered(let answer):
            "stream handshake: the peer chose \(answer.proto), \(answer.encodings.prefix(4)), which was not offered"
        case .refusedByPeer(let code): "stream handshake: the peer refused: \(code)"
        }
    }

    /// What a responder tells the opener; `nil` when the stream is finished without a word (protocol.md §6).
    var ack: HandshakeAck.Code? {
        switch self {
        case .frameTooLarge, .malformed: .unexpected
        case .protocolNotSpoken: .incompatibleProto
        case .unexpectedFrame, .answerNotOffered, .refusedByPeer: nil
        }
    }

    init(_ error: HandshakeFrameError) {
        switch error {
        case .unexpectedType(let type): self = .unexpectedFrame(type: type)
        case .tooLarge(let declared): self = .frameTooLarge(declared: declared)
        }
    }
}

extension HandshakeFrameReader {
    /// The next frame; see ``next(_:accepting:)``.
    mutating func frame(
        onStream input: inout ArraySlice<UInt8>, _ kinds: [HandshakeFrame.Kind]
    ) throws(ProtoHandshakeFailure) -> HandshakeFrame? {
        do {
            return try next(&input, accepting: kinds)
        } catch {
            throw ProtoHandshakeFailure(error)
        }
    }
}

extension HandshakeFrame {
    /// The body of a proto frame.
    func offer() throws(ProtoHandshakeFailure) -> ProtoOffer {
        do {
            return try ProtoOffer(decoding: body)
        } catch {
            throw .malformed(error)
        }
    }
}
