import ProtoWire

/// A record whose id and signatures are good; neither its place in the log nor its contents are judged yet.
struct ACLVerifiedRecord {
    let prevId: WireString
    let author: PublicKey
    let contents: [ACLContent]

    /// Checks a record in the order of protocol.md §2: proto, id, acceptor, author signature.
    ///
    /// - Parameters:
    ///   - record: any record but the root.
    ///   - networkKey: the acceptor's key, when acceptance is checked.
    init(_ record: RawRecordWithId, networkKey: PublicKey?) throws(ACLError.Reason) {
        let raw = try RawRecord(decoding: record.payload[...], as: .rawRecord)
        let signed = try ACLRecord(decoding: raw.payload, as: .record)
        try ACLElementCount.check(signed.data)
        contents = try ACLData(decoding: signed.data, as: .data).contents
        prevId = signed.prevId
        try record.checkId()
        if let networkKey { try raw.checkAcceptor(networkKey) }
        author = try raw.author(signed.identity)
    }
}

extension ACLMessage {
    init(decoding bytes: ArraySlice<UInt8>, as message: ACLError.Message) throws(ACLError.Reason) {
        do throws(ProtoError) {
            try self.init(decoding: bytes)
        } catch {
            throw .malformed(message, error)
        }
    }
}

extension RawRecordWithId {
    func checkId() throws(ACLError.Reason) {
        let expected = CID(of: payload)
        guard expected.matches(id) else { throw .wrongId(expected: expected) }
    }
}

extension RawRecord {
    /// The author, whose signature is good, which proves that its key is a point of the curve as well.
    func author(_ identity: ArraySlice<UInt8>) throws(ACLError.Reason) -> PublicKey {
        do throws(KeyError) {
            let author = try ACLIdentity.unchecked(identity)
            if author.isValidSignature(signature, for: payload) { return author }
            _ = try author.checked()
        } catch {
            throw .keyUnreadable(.identity, error)
        }
        throw .signatureInvalid(.signature)
    }

    func checkAcceptor(_ networkKey: PublicKey) throws(ACLError.Reason) {
        let acceptor: PublicKey
        do throws(KeyError) {
            acceptor = try Self.acceptor(acceptorIdentity, networkKey)
        } catch {
            throw .acceptorUnreadable(error)
        }
        guard acceptor == networkKey else { throw .acceptorNotNetwork(expected: networkKey, found: acceptor) }
        guard networkKey.isValidSignature(acceptorSignature, for: payload) else { throw .acceptorSignatureInvalid }
    }

    // Marshalled, or else the 32 bytes.
    private static func acceptor(
        _ identity: ArraySlice<UInt8>, _ networkKey: PublicKey
    ) throws(KeyError) -> PublicKey {
        if let key = try? ACLIdentity.unchecked(identity) { return key == networkKey ? key : try key.checked() }
        return try PublicKey(rawRepresentation: identity)
    }
}
