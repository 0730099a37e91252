import ProtoWire
import Testing

@testable import AnySyncWire

@Suite struct ProtoHandshakeTests {
    private typealias Step = HandshakeStep<MessageEncoding, ProtoHandshakeFailure>

    private func respond(
        _ bytes: [UInt8], supporting: [MessageEncoding] = MessageEncoding.allCases
    ) -> Step {
        var responder = ProtoResponder(supporting: supporting)
        var input = bytes[...]
        return responder.receive(&input)
    }

    private func answer(
        _ bytes: [UInt8], to offer: ProtoOffer = ProtoOffer(encodings: [.snappy, .none])
    ) -> Step {
        var opener = ProtoOpener(offering: offer)
        var input = bytes[...]
        return opener.receive(&input)
    }

    @Test func snappyIsOfferedFirst() {
        #expect(ProtoOpener().start() == [3, 4, 0, 0, 0, 0x12, 2, 1, 0])
    }

    @Test func garbageAndOversizeAreAnsweredWithAnAck() {
        var step = respond([3, 1, 0, 0, 0, 0xff])
        #expect(step == Step(output: HandshakeAck(.unexpected).frame, result: .failure(.malformed(.truncated))))
        step = respond([3, 0x01, 0x20, 0x03, 0x00])
        #expect(
            step == Step(
                output: HandshakeAck(.unexpected).frame, result: .failure(.frameTooLarge(declared: 204_801))))
    }

    @Test func anotherFrameTypeIsNotAnswered() {
        #expect(respond([1, 0, 0, 0, 0]) == Step(output: [], result: .failure(.unexpectedFrame(type: 1))))
        #expect(answer([1, 0, 0, 0, 0]) == Step(output: [], result: .failure(.unexpectedFrame(type: 1))))
    }

    @Test func anotherProtocolIsRefused() {
        #expect(
            respond([3, 2, 0, 0, 0, 0x08, 1])
                == Step(output: HandshakeAck(.incompatibleProto).frame, result: .failure(.protocolNotSpoken(1))))
        #expect(answer(HandshakeAck(.incompatibleProto).frame).result == .failure(.refusedByPeer(.incompatibleProto)))
    }

    @Test func theOpenersFirstSupportedEncodingIsChosen() {
        let offer = ProtoOffer(encodings: [.snappy, .none]).frame
        #expect(respond(offer) == Step(output: ProtoOffer(encodings: [.snappy]).frame, result: .success(.snappy)))
        #expect(
            respond(offer, supporting: []) == Step(output: ProtoOffer(encodings: [.none]).frame, result: .success(.none)))
    }

    @Test func anAnswerThatWasNotOfferedIsRefused() throws {
        for encodings: [UInt8] in [[7], [1]] {
            let bytes = HandshakeFrame.encode(.proto, [0x12, UInt8(encodings.count)] + encodings)
            let wrong = try ProtoOffer(decoding: bytes[5...])
            #expect(answer(bytes, to: ProtoOffer(encodings: [.none])).result == .failure(.answerNotOffered(wrong)))
        }
        let otherProtocol = ProtoOffer(proto: 5, encodings: [.none])
        #expect(answer(otherProtocol.frame).result == .failure(.answerNotOffered(otherProtocol)))
        #expect(answer([2, 1, 0, 0, 0, 0xff]).result == .failure(.malformed(.truncated)))
    }

    @Test func oldPeersAnswerWithoutEncodings() {
        #expect(answer(HandshakeAck(.null).frame).result == .success(.none))
        #expect(answer([3, 0, 0, 0, 0]).result == .success(.none))
        #expect(respond([3, 0, 0, 0, 0]) == Step(output: HandshakeAck(.null).frame, result: .success(.none)))
    }

    @Test func whatFollowsIsLeftAlone() {
        var responder = ProtoResponder()
        var input = (ProtoOpener().start() + [3, 1, 1])[...]
        var step = responder.receive(&input)
        #expect(step.result == .success(.snappy))
        step = responder.receive(&input)
        #expect(step == Step(output: [], result: nil))
        #expect(input == [3, 1, 1])
        var opener = ProtoOpener()
        input = (ProtoOffer(encodings: [.snappy]).frame + [5, 1])[...]
        step = opener.receive(&input)
        #expect(step.result == .success(.snappy))
        step = opener.receive(&input)
        #expect(step == Step(output: [], result: nil))
        #expect(input == [5, 1])
    }
}
