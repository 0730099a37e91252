/// The codes that connections of this network are closed with, and what they mean (the reference's, as seen on the
/// wire).
enum CloseCode {
    /// A dial failed before the credential handshake.
    static let dialFailed: UInt64 = 1
    /// An ordinary close.
    static let orderly: UInt64 = 2
    /// The credential handshake failed.
    static let handshakeFailed: UInt64 = 3

    /// What the application's streams are abandoned with, as the reference does; a normal end.
    static let streamAbandoned: UInt64 = 0
    /// What our own resets carry, so that they are none of the former.
    static let streamReset: UInt64 = 1

    /// The first code that carries a TLS alert, in its last byte (RFC 9001 §4.8).
    static let firstAlert: UInt64 = 0x100

    /// The alert that a transport's close carries.
    static func alert(in code: UInt64) -> UInt8? {
        (firstAlert...firstAlert + 0xff).contains(code) ? UInt8(code - firstAlert) : nil
    }
}
