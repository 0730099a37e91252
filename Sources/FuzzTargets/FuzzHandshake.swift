import AnySyncWire
import PushCrypto

/// Lets a stranger speak in every handshake: cutting its bytes elsewhere must not matter, what is answered stays small,
/// and nobody is let in without the account's signature.
public func fuzzHandshake(_ bytes: [UInt8]) {
    frames(bytes)
    check(bytes, CredentialListener(from: Keys.remote, as: Keys.local)) { $0.receive(&$1) }
    check(bytes, CredentialDialer(to: Keys.remote, as: Keys.local)) { $0.receive(&$1) }
    check(bytes, ProtoResponder()) { $0.receive(&$1) }
    check(bytes, ProtoOpener()) { $0.receive(&$1) }
}

private enum Keys {
    static let local = LocalCredentials(account: SigningKey(), peer: PeerId(publicKey: SigningKey().publicKey))
    static let remote = PeerId(publicKey: SigningKey().publicKey)
}

private func frames(_ bytes: [UInt8]) {
    let read = { (pieces: [ArraySlice<UInt8>]) -> (frames: [HandshakeFrame], error: HandshakeFrameError?) in
        var reader = HandshakeFrameReader()
        var frames: [HandshakeFrame] = []
        do throws(HandshakeFrameError) {
            for var piece in pieces {
                while let frame = try reader.next(&piece, accepting: [.credentials, .ack, .proto]) {
                    frames.append(frame)
                }
            }
            return (frames, nil)
        } catch {
            return (frames, error)
        }
    }
    let whole = read([bytes[...]])
    let cut = read(pieces(bytes))
    precondition(whole.frames == cut.frames && whole.error == cut.error, "cutting matters")
    let encoded = whole.frames.flatMap { HandshakeFrame.encode($0.kind, Array($0.body)) }
    precondition(bytes.starts(with: encoded), "a frame is not what was read")
}

private func check<Handshake, Success, Failure>(
    _ bytes: [UInt8], _ start: Handshake,
    receive: (inout Handshake, inout ArraySlice<UInt8>) -> HandshakeStep<Success, Failure>
) where Success: Equatable, Failure: Equatable {
    func play(_ pieces: [ArraySlice<UInt8>]) -> (HandshakeStep<Success, Failure>, taken: Int) {
        var handshake = start
        var step = HandshakeStep<Success, Failure>(output: [], result: nil)
        var taken = 0
        for piece in pieces where step.result == nil {
            var input = piece
            let next = receive(&handshake, &input)
            step.output += next.output
            step.result = next.result
            taken += piece.count - input.count
        }
        return (step, taken)
    }
    let (whole, taken) = play([bytes[...]])
    let (cut, takenCut) = play(pieces(bytes))
    precondition(whole == cut && taken == takenCut, "cutting matters")
    precondition(whole.output.count <= 1024, "much is answered")
    if case .success(let success)? = whole.result {
        // The account's signature over this peer's id is not to be guessed.
        precondition(!(success is HandshakeResult), "a stranger was let in")
    }
}
