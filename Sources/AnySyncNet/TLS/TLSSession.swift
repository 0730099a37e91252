internal import COpenSSL
internal import PushCrypto

/// One TLS session without I/O: records in, records out (protocol.md §5, "libp2p TLS").
///
/// It is handed whole records only, so OpenSSL never holds a byte that it has not dealt with. Whatever happens, it writes no
/// close_notify: a peer on the bare socket would take it for a yamux frame.
final class TLSSession {
    enum Role {
        /// Connects, and insists on this peer.
        case dialer(expecting: PeerId)
        case listener
    }

    /// The peer, once its certificate has been accepted.
    private(set) var peer: PeerId?
    /// Whether TLS's own handshake is done on this side. At a dialer the listener may still refuse.
    private(set) var isEstablished = false

    private let role: Role
    private let protocols: [ApplicationProtocol]
    private let now: () -> Int64
    private let ssl: OpaquePointer
    // Keeps the context alive as long as its session.
    private let context: TLSContext
    private var refusal: TransportError?
    private var isEnded = false
    private var input: ArraySlice<UInt8> = []
    private var output: [UInt8] = []

    /// - Parameters:
    ///   - protocols: what a dialer offers, or what a listener accepts in its order of preference.
    ///   - now: the time in seconds since 1970, for the peer's certificate.
    init(
        context: TLSContext, role: Role, protocols: [ApplicationProtocol], now: @escaping () -> Int64
    ) throws(TransportError) {
        guard let ssl = context.makeSession() else { throw .tls(.unavailable("session")) }
        guard let bio = BIO_new(RecordBIO.method) else {
            SSL_free(ssl)
            throw .tls(.unavailable("session"))
        }
        (self.ssl, self.context, self.role, self.protocols, self.now) = (ssl, context, role, protocols, now)
        let reference = Unmanaged.passUnretained(self).toOpaque()
        BIO_set_data(bio, reference)
        BIO_set_init(bio, 1)
        SSL_set_bio(ssl, bio, bio)
        SSL_set_ex_data(ssl, 0, reference)
        switch role {
        case .listener:
            SSL_set_accept_state(ssl)
        case .dialer:
            let list = protocols.flatMap(\.wireForm)
            guard SSL_set_alpn_protos(ssl, list, UInt32(list.count)) == 0 else { throw .tls(.unavailable("protocols")) }
            SSL_set_connect_state(ssl)
        }
    }

    deinit {
        SSL_free(ssl)
    }

    /// The protocol agreed on; `nil` when the peer named none.
    var applicationProtocol: ApplicationProtocol? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &count)
        return ApplicationProtocol(
            rawValue: String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self))
    }

    /// Takes the records to be sent.
    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Begins the handshake; to be called once, before the first record.
    func start() throws(TransportError) {
        try handshake()
    }

    /// Takes in one whole record.
    ///
    /// - Returns: what it decrypts to; empty for a record of the handshake. `nil` when the peer ended the session.
    /// - Throws: ``TransportError/tls(_:)``, ``TransportError/certificate(_:)``,
    ///   ``TransportError/wrongPeer(expected:found:)``. There may be output even so: the alert that tells the peer.
    func receive(_ record: ArraySlice<UInt8>) throws(TransportError) -> [UInt8]? {
        input = record
        defer { input = [] }
        if !isEstablished { try handshake() }
        guard isEstablished else { return [] }
        var plaintext: [UInt8] = []
        repeat {
            let chunk = try decrypt(atMost: record.count)
            guard !chunk.isEmpty else { break }
            if plaintext.isEmpty { plaintext = chunk } else { plaintext += chunk }
        } while !input.isEmpty || SSL_pending(ssl) > 0
        return isEnded && plaintext.isEmpty ? nil : plaintext
    }

    private func decrypt(atMost count: Int) throws(TransportError) -> [UInt8] {
        ERR_clear_error()
        var status: Int32 = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            status = SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &filled)
        }
        if status != 1 { try check(SSL_get_error(ssl, status)) }
        return chunk
    }

    /// Encrypts bytes into the output.
    func write(_ plaintext: ArraySlice<UInt8>) throws(TransportError) {
        guard !plaintext.isEmpty else { return }
        ERR_clear_error()
        var written = 0
        let status = plaintext.withUnsafeBytes { SSL_write_ex(ssl, $0.baseAddress, $0.count, &written) }
        guard status == 1 else { return try check(SSL_get_error(ssl, status)) }
    }

    private func handshake() throws(TransportError) {
        ERR_clear_error()
        let status = SSL_do_handshake(ssl)
        guard status == 1 else { return try check(SSL_get_error(ssl, status)) }
        isEstablished = true
        guard case .dialer = role else { return }
        // A peer that ignores the list answers without a name: fine for the form that began without names.
        let chosen = applicationProtocol
        guard chosen.map(protocols.contains) ?? protocols.contains(.libp2p) else {
            throw .tls(.applicationProtocol(found: chosen?.rawValue))
        }
    }

    /// Turns OpenSSL's verdict into an error; returns when it only wants more records.
    private func check(_ verdict: Int32) throws(TransportError) {
        switch verdict {
        case SSL_ERROR_WANT_READ, SSL_ERROR_NONE: return
        case SSL_ERROR_ZERO_RETURN:
            isEnded = true
            guard isEstablished else { throw .tls(.endedByPeer) }
        default:
            defer { ERR_clear_error() }
            if let refusal { throw refusal }
            throw .tls(Self.error(ERR_peek_error()))
        }
    }

    private static func error(_ code: UInt) -> TLSError {
        let reason = ERR_GET_REASON(code)
        // OpenSSL reports a received alert as a reason above this offset.
        if (SSL_AD_REASON_OFFSET...SSL_AD_REASON_OFFSET + 255).contains(reason) {
            return .refusedByPeer(alert: UInt8(reason - SSL_AD_REASON_OFFSET))
        }
        if reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE { return .noCertificate }
        guard let text = ERR_reason_error_string(code) else { return .failed("unknown failure") }
        return .failed(String(cString: text))
    }
}

// MARK: - What OpenSSL calls

extension TLSSession {
    /// Judges the peer's chain during the handshake, so that a refusal reaches the peer as an alert.
    static func verify(_ store: OpaquePointer?) -> Int32 {
        guard
            let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let session = of(OpaquePointer(ssl))
        else { return 0 }
        do {
            try session.judge(chainCount: Int(copenssl_chain_count(store)), leaf: X509_STORE_CTX_get0_cert(store))
            return 1
        } catch {
            session.refusal = error
            let isPeriod =
                switch error {
                case .certificate(.expired), .certificate(.notYetValid): true
                default: false
                }
            X509_STORE_CTX_set_error(store, isPeriod ? X509_V_ERR_CERT_HAS_EXPIRED : X509_V_ERR_CERT_REJECTED)
            return 0
        }
    }

    private func judge(chainCount: Int, leaf: OpaquePointer?) throws(TransportError) {
        guard chainCount == 1 else { throw .certificate(.chainLength(found: chainCount)) }
        let count = Int(max(0, i2d_X509(leaf, nil)))
        let der = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var position = buffer.baseAddress
            filled = count == 0 ? 0 : Int(max(0, i2d_X509(leaf, &position)))
        }
        let found: PeerId
        do throws(CertificateError) {
            found = try CertificateVerifier.verify([der], now: now())
        } catch {
            throw .certificate(error)
        }
        if case .dialer(let expected) = role, expected != found { throw .wrongPeer(expected: expected, found: found) }
        peer = found
    }

    /// Chooses the application protocol at a listener; a client that shares none gets alert no_application_protocol.
    static func selectProtocol(
        _ ssl: OpaquePointer?, _ output: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ length: UnsafeMutablePointer<UInt8>?,
        _ input: UnsafePointer<UInt8>?, _ count: UInt32
    ) -> Int32 {
        guard let ssl, let session = of(ssl), let input, let output, let length else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        let list = UnsafeBufferPointer(start: input, count: Int(count))
        guard
            let chosen = ApplicationProtocol.choose(from: Array(list), accepted: session.protocols),
            // The answer must point into memory that lives on: the client's own list does.
            let position = position(of: chosen.wireForm, in: list)
        else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        output.pointee = input + position + 1
        length.pointee = input[position]
        return SSL_TLSEXT_ERR_OK
    }

    private static func position(of entry: [UInt8], in list: UnsafeBufferPointer<UInt8>) -> Int? {
        var position = 0
        while position < list.count {
            let end = position + 1 + Int(list[position])
            guard end <= list.count else { return nil }
            if list[position..<end].elementsEqual(entry) { return position }
            position = end
        }
        return nil
    }

    private static func of(_ ssl: OpaquePointer) -> TLSSession? {
        guard let reference = SSL_get_ex_data(ssl, 0) else { return nil }
        return Unmanaged<TLSSession>.fromOpaque(reference).takeUnretainedValue()
    }

    /// OpenSSL's way to the record at hand and to the output, without buffers in between.
    private enum RecordBIO {
        // Unsafe because C pointers are not Sendable: made once, before its first use, and only read after.
        nonisolated(unsafe) static let method: OpaquePointer? = {
            guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "anypush record") else { return nil }
            BIO_meth_set_read(method) { bio, buffer, count in
                guard let bio, let buffer, let session = session(of: bio) else { return -1 }
                return session.read(bio, into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
            }
            BIO_meth_set_write(method) { bio, buffer, count in
                guard let bio, let buffer, count > 0, let session = session(of: bio) else { return -1 }
                session.output.append(contentsOf: UnsafeRawBufferPointer(start: buffer, count: Int(count)))
                return count
            }
            BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
            return method
        }()

        private static func session(of bio: OpaquePointer) -> TLSSession? {
            guard let reference = BIO_get_data(bio) else { return nil }
            return Unmanaged<TLSSession>.fromOpaque(reference).takeUnretainedValue()
        }
    }

    private func read(_ bio: OpaquePointer, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        let piece = input.prefix(buffer.count)
        guard !piece.isEmpty else {
            copenssl_bio_retry_read(bio)
            return -1
        }
        buffer.copyBytes(from: piece)
        input = input.dropFirst(piece.count)
        return Int32(piece.count)
    }
}
