/// A TLS session over a byte stream: cuts what arrives into records and hands them to the session one by one.
final class TLSChannel {
    let session: TLSSession
    private var records = TLSRecordReader()

    init(_ session: TLSSession) {
        self.session = session
    }

    /// Takes in the next record.
    ///
    /// - Parameter input: what arrived; what belongs to the record is removed from its front, and nothing more.
    /// - Returns: what the record decrypts to, maybe nothing; `nil` when `input` was used up before the record's end.
    /// - Throws: ``TransportError``; ``TLSError/endedByPeer`` for an end in good order.
    func receiveRecord(from input: inout ArraySlice<UInt8>) throws(TransportError) -> [UInt8]? {
        let record: ArraySlice<UInt8>?
        do throws(TLSError) {
            record = try records.next(from: &input)
        } catch {
            throw .tls(error)
        }
        guard let record else { return nil }
        guard let plaintext = try session.receive(record) else { throw .tls(.endedByPeer) }
        return plaintext
    }

    /// Takes in everything that arrived.
    func decrypt(_ bytes: ArraySlice<UInt8>) throws(TransportError) -> [UInt8] {
        var input = bytes
        var plaintext: [UInt8] = []
        while let piece = try receiveRecord(from: &input) {
            if plaintext.isEmpty { plaintext = piece } else { plaintext += piece }
        }
        return plaintext
    }

    /// The records that carry `plaintext`, and whatever else the session has to say.
    func encrypt(_ plaintext: [UInt8]) throws(TransportError) -> [UInt8] {
        try session.write(plaintext[...])
        return session.takeOutput()
    }
}
