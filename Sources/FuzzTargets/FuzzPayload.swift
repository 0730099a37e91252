import ProtoWire
import PushCrypto

/// Reads any bytes as an opened payload; what is read must survive being written and fitted.
public func fuzzPayload(_ bytes: [UInt8]) {
    if let reading = try? ReadPayload(json: bytes), let json = try? reading.encoded() {
        precondition((try? ReadPayload(json: PayloadPadding.padded(json))) == reading)
    }
    guard let payload = try? ChatPayload(json: bytes) else { return }
    guard let fitted = try? payload.encoded(fitting: ProviderBudget.payloadByteCount) else { return }
    precondition(fitted.count <= ProviderBudget.payloadByteCount)
    guard let again = try? ChatPayload(json: fitted) else { preconditionFailure("what was written can not be read") }
    let padded = PayloadPadding.padded(fitted)
    precondition(padded.count <= ProviderBudget.payloadByteCount && (try? ChatPayload(json: padded)) == again)
    precondition(again.spaceId == payload.spaceId && again.senderId == payload.senderId)
    precondition(payload.newMessage.text.bytes.starts(with: again.newMessage.text.bytes))
}
