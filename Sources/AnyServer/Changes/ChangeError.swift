import ProtoWire
import PushCrypto

/// Why a change is refused or could not be made. Says nothing of what a change holds.
enum ChangeError: Error, Hashable, Sendable {
    /// Longer than any change may be, in bytes.
    case tooLong(limit: Int, found: Int)
    /// No protobuf message.
    case malformed(ProtoError)
    /// Not in the one form that is accepted: fields that nobody knows, or in another order.
    case notCanonical
    /// A field is absent, too long, no UTF-8 or out of its range.
    case wrongField(String)
    /// The author is no key.
    case wrongAuthor(KeyError)
    /// The signature is not the author's.
    case wrongSignature
    /// The change belongs to another space.
    case wrongSpace(expected: String, found: String)
    /// The ACL log has no record of this id.
    case unknownRecord(String)
    /// The read key is not the one that was current at the change's ACL record.
    case wrongReadKey(recordId: String)
    /// The author was no member that may write when the change was made.
    case mayNotWrite(PublicKey)
    /// The account has no read key to seal or open with.
    case keyUnavailable(ACLKeyUnavailable)
    /// The content could not be sealed.
    case cannotSeal(SealError)
    /// The content does not open with the read key.
    case cannotOpen(SealError)

    /// Runs a reading of protobuf.
    static func reading(_ body: () throws(ProtoError) -> Void) throws(ChangeError) {
        do throws(ProtoError) { try body() } catch { throw .malformed(error) }
    }
}

extension ChangeError: CustomStringConvertible {
    var description: String {
        switch self {
        case .tooLong(let limit, let found): "the change has \(found) bytes, at most \(limit) are taken"
        case .malformed: "the change is no protobuf message"
        case .notCanonical: "the change is not in its one accepted form"
        case .wrongField(let name): "the change's \(name) is absent or out of bounds"
        case .wrongAuthor: "the change's author is no public key"
        case .wrongSignature: "the change's signature is not its author's"
        case .wrongSpace(let expected, let found): "the change belongs to space \(found), expected \(expected)"
        case .unknownRecord(let id): "the change refers to ACL record \(id), which the space's log does not have"
        case .wrongReadKey(let id): "the read key of ACL record \(id) was not current when the change was made"
        case .mayNotWrite(let author): "\(author) might not write in the space when the change was made"
        case .keyUnavailable(let reason): "there is no read key for the change: \(reason)"
        case .cannotSeal: "the change could not be sealed"
        case .cannotOpen: "the change does not open with its read key"
        }
    }
}
