import AnySyncWire
import ProtoWire
import PushCrypto

/// Replays handshake.json: frames, credential handshakes with our code on either side, and stream handshakes.
struct HandshakeReplay: VectorFile {
    static let stem = "handshake"

    init(file: JSON) {}

    func replay(_ vector: JSON) throws {
        switch try vector.string("kind") {
        case "frame": try HandshakeFrameCase(vector).replay()
        case "session":
            let (client, server) = try parties(vector)
            try replayDialer(vector, client, server)
            try replayListener(vector, client, server)
        case "serverReaction":
            let (client, server) = try parties(vector)
            try replayListener(vector, client, server)
        case "proto": try replayProto(vector)
        case let kind: throw VectorMismatch("unknown kind \(kind)")
        }
    }

    private func parties(_ vector: JSON) throws -> (client: HandshakeParty, server: HandshakeParty) {
        guard let client = vector["client"], let server = vector["server"] else {
            throw VectorMismatch("the case has no client or no server")
        }
        return try (HandshakeParty(client), HandshakeParty(server))
    }

    private func replayDialer(_ vector: JSON, _ client: HandshakeParty, _ server: HandshakeParty) throws {
        let script = try HandshakeScript(vector)
        guard let own = script.credentials(ofClient: true) else { throw VectorMismatch("the client sent nothing") }
        let local = LocalCredentials(
            account: try vector.bool("clientSendsIdentity") ? client.account : nil, peer: client.peer,
            version: try version(vector, "clientVersion"), acceptedVersions: try versions(vector, "clientCompatible"),
            clientVersion: own.clientVersion.string)
        var dialer = CredentialDialer(to: server.peer, as: local)
        var result: Result<HandshakeResult, HandshakeFailure>?
        try script.play(asClient: true, opening: dialer.start()) { input in
            let step = dialer.receive(&input)
            result = result ?? step.result
            return step.output
        }
        try compare(result, vector, "client", remote: script.credentials(ofClient: false))
    }

    private func replayListener(_ vector: JSON, _ client: HandshakeParty, _ server: HandshakeParty) throws {
        let script = try HandshakeScript(vector)
        let dialersVersion = script.credentials(ofClient: true)?.version
        let own = script.credentials(ofClient: false)
        if let own { try expect(own.version, equals: version(vector, "serverVersion"), "serverVersion") }
        let local = LocalCredentials(
            account: try vector.bool("serverRequiresAuth") ? server.account : nil, peer: server.peer,
            version: try version(vector, "serverVersion"), acceptedVersions: try versions(vector, "serverCompatible"),
            clientVersion: own?.clientVersion.string ?? "")
        var listener = CredentialListener(from: client.peer, as: local)
        var result: Result<HandshakeResult, HandshakeFailure>?
        // Where the reference answers with its own version, we answer with the dialer's.
        let expected = { (bytes: [UInt8]) throws -> [UInt8] in
            guard bytes.first == HandshakeFrame.Kind.credentials.rawValue, var message = own, let dialersVersion
            else { return bytes }
            message.version = dialersVersion
            return HandshakeFrame.encode(.credentials, message.encoded)
        }
        try script.play(asClient: false, expecting: expected) { input in
            let step = listener.receive(&input)
            result = result ?? step.result
            return step.output
        }
        try compare(result, vector, "server", remote: script.credentials(ofClient: true))
    }

    private func compare(
        _ result: Result<HandshakeResult, HandshakeFailure>?, _ vector: JSON, _ side: String, remote: Credentials?
    ) throws {
        switch result {
        case nil: throw VectorMismatch("the \(side)'s handshake did not end")
        case .success(let success):
            try expect(vector["\(side)Error"], equals: nil, "\(side)Error")
            if let identity = vector["\(side)SeesIdentity"]?.stringValue {
                try expect(
                    success.identity.map { Hexadecimal.encode($0.marshalled) } ?? "", equals: identity,
                    "\(side)SeesIdentity")
            }
            try expect(success.version, equals: remote?.version ?? 0, "the version that the \(side) sees")
        case .failure(let failure):
            guard let error = vector["\(side)Error"]?.stringValue else {
                throw VectorMismatch("\(side): expected success, found \(failure)")
            }
            // The reference's words for what is no message depend on its decoder; the others name the refusal.
            if let name = name(of: failure.reason) {
                try expect(name, equals: error, "\(side)Error")
            }
            try expect(
                vector["\(side)SeesIdentity"] == nil, "\(side)SeesIdentity is of no failed handshake")
        }
    }

    private func name(of reason: HandshakeFailure.Reason) -> String? {
        switch reason {
        case .versionNotAccepted, .clientVersionBlocked, .refusedByPeer(.incompatibleVersion): "IncompatibleVersion"
        case .signatureRequired, .refusedByPeer(.skipVerifyNotAllowed): "SkipVerifyNotAllowed"
        case .invalidIdentity, .invalidSignature: "InvalidCredentials"
        case .refusedByPeer(.invalidCredentials): "remote peer declined the credentials"
        case .refusedByPeer(.unexpected): "Unexpected"
        case .unexpectedFrame, .malformedPayload, .refusedByPeer(.unexpectedPayload): "UnexpectedPayload"
        case .refusedByPeer(.deadlineExceeded): "DeadlineExceeded"
        case .frameTooLarge: "go not a handshake message"
        case .malformed, .refusedByPeer, .refusedWithoutReason, .connectionEnded, .deadlineExceeded: nil
        }
    }

    private func version(_ vector: JSON, _ key: String) throws -> UInt32 {
        let number = try vector.int(key)
        guard let version = UInt32(exactly: number) else { throw VectorMismatch("\(key) \(number) is no version") }
        return version
    }

    private func versions(_ vector: JSON, _ key: String) throws -> [UInt32] {
        try vector.array(key).map { number in
            guard let version = number.intValue.flatMap(UInt32.init(exactly:)) else {
                throw VectorMismatch("\(key): \(number) is no version")
            }
            return version
        }
    }

    private func replayProto(_ vector: JSON) throws {
        let script = try HandshakeScript(vector)
        var asked = script.writes.first { $0.isClient }?.bytes[...] ?? []
        var reader = HandshakeFrameReader()
        guard let frame = try reader.next(&asked, accepting: [.proto]) else {
            throw VectorMismatch("the client did not open the stream")
        }
        var opener = try ProtoOpener(offering: ProtoOffer(decoding: frame.body))
        var result: Result<MessageEncoding, ProtoHandshakeFailure>?
        try script.play(asClient: true, opening: opener.start()) { input in
            let step = opener.receive(&input)
            result = result ?? step.result
            return step.output
        }
        try compare(result, vector, "client")

        // Only the case's name says that the server was told not to use snappy.
        let canSnappy = try !vector.string("name").contains("snappy:false")
        var responder = ProtoResponder(supporting: canSnappy ? [.none, .snappy] : [.none])
        result = nil
        try script.play(asClient: false) { input in
            let step = responder.receive(&input)
            result = result ?? step.result
            return step.output
        }
        try compare(result, vector, "server")
    }

    private func compare(
        _ result: Result<MessageEncoding, ProtoHandshakeFailure>?, _ vector: JSON, _ side: String
    ) throws {
        guard let result else { throw VectorMismatch("the \(side)'s stream handshake did not end") }
        guard let agreed = vector["\(side)Encodings"]?.arrayValue else {
            guard case .failure(let failure) = result, let error = vector["\(side)Error"]?.stringValue else {
                throw VectorMismatch("without \(side)Encodings: expected a failure and its text, found \(result)")
            }
            switch failure {
            case .protocolNotSpoken: try expect("IncompatibleProto", equals: error, "\(side)Error")
            case .refusedByPeer(.incompatibleProto):
                try expect("remote peer declined the proto", equals: error, "\(side)Error")
            default: break
            }
            return
        }
        try expect(vector["\(side)Error"], equals: nil, "\(side)Error")
        // No encoding agreed on and the encoding "none" are the same.
        let number = agreed.first?.intValue ?? Int(MessageEncoding.none.rawValue)
        try expect(Int(result.get().rawValue), equals: number, "\(side)Encodings")
    }
}
