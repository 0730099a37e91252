import AnySyncNet
import PushCrypto

/// Judges any bytes as a peer's certificate; one that is accepted proves the peer that it names.
public func fuzzCertificate(_ bytes: [UInt8]) {
    // Inside the validity period of the seeds: 2026-11-30.
    guard let peer = try? CertificateVerifier.verify([bytes], now: 1_796_003_099) else { return }
    guard let fields = try? CertificateFields(der: bytes),
        let claimed = try? CertificateVerifier.claimedPeer(in: fields)
    else { preconditionFailure("an accepted certificate does not come apart") }
    precondition(claimed == peer)
    precondition(fields.notBefore <= fields.notAfter)
}
