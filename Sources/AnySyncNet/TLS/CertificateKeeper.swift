internal import AnySyncWire
internal import Locks
internal import PushCrypto

/// The certificate that new connections present, and what TLS needs of it: made anew daily, and when the clock was set.
///
/// It is looked after whenever a connection begins, so nothing runs for it in between. A certificate that was made while
/// the clock was a year ahead would be refused by everybody for that year, once the clock is right.
final class CertificateKeeper: Sendable {
    /// A certificate, and what sessions are made from.
    struct Presented: Sendable {
        let certificate: HostCertificate
        let tls: TLSContext
        fileprivate let made: CertificateAge
    }

    private let now: @Sendable () -> MonotonicTime
    private let unixTime: @Sendable () -> Int64
    private let renew: (@Sendable (Int64) throws -> HostCertificate)?
    private let state: SystemLock<Presented>

    /// - Parameters:
    ///   - certificate: the first one, made at `unixTime`.
    ///   - now: the loop's time.
    ///   - unixTime: the calendar's time, in seconds since 1970.
    ///   - renew: makes a further one, valid at that time of the calendar; `nil` to keep the first.
    /// - Throws: ``TLSError`` when OpenSSL cannot use the first one.
    init(
        _ certificate: HostCertificate, now: @escaping @Sendable () -> MonotonicTime,
        unixTime: @escaping @Sendable () -> Int64, renew: (@Sendable (Int64) throws -> HostCertificate)?
    ) throws(TLSError) {
        self.now = now
        self.unixTime = unixTime
        self.renew = renew
        let made = CertificateAge(monotonic: now(), unix: unixTime())
        state = SystemLock(
            Presented(certificate: certificate, tls: try TLSContext(certificate: certificate), made: made))
    }

    /// What a connection that begins now presents. Those under way keep what they have.
    var current: Presented {
        let presented = state.withLock { $0 }
        guard let renew else { return presented }
        let age = CertificateAge(monotonic: now(), unix: unixTime())
        guard presented.made.isStale(at: age) else { return presented }
        // One that cannot be made leaves the old one, which is better than none, for the next connection to try again.
        guard let certificate = try? renew(age.unix), let tls = try? TLSContext(certificate: certificate) else {
            return presented
        }
        let fresh = Presented(certificate: certificate, tls: tls, made: age)
        state.withLock { $0 = fresh }
        return fresh
    }
}

/// When a certificate was made, by both clocks.
struct CertificateAge: Hashable, Sendable {
    /// The loop's time.
    var monotonic: MonotonicTime
    /// The calendar's, in seconds since 1970.
    var unix: Int64

    /// How long a certificate is presented.
    static let lifetime = Duration.seconds(86_400)
    /// How far the clocks may come apart before it is made anew: well within the hour that certificates are valid before
    /// they are made.
    static let tolerance = Duration.seconds(60)

    /// Whether a certificate of this age is to be made anew by then.
    func isStale(at now: CertificateAge) -> Bool {
        let passed = monotonic.duration(to: now.monotonic)
        let (seconds, overflow) = now.unix.subtractingReportingOverflow(unix)
        guard !overflow else { return true }
        let step = Duration.seconds(seconds) - passed
        return passed >= Self.lifetime || step > Self.tolerance || step < .zero - Self.tolerance
    }
}
