/// Why a record could not be written.
public enum ACLWriteError: Error, Hashable, Sendable {
    /// The author has not the key that the record needs.
    case keyUnavailable(ACLKeyUnavailable)
    /// Nothing can be encrypted to this key.
    case cannotEncrypt(to: PublicKey, KeyError)
    /// OpenSSL refused to seal.
    case cannotSeal(SealError)
    /// The log has no live invite of the needed kind with this key, or it carries no read key that opens.
    case noInvite(key: PublicKey)
    /// The log has no such unanswered request.
    case noSuchRequest(recordId: String)
    /// The two writers of a one-to-one space share no keys.
    case noSharedKeys(KeyError)
    /// The record is complete but breaks the rules of the log.
    case refused(ACLError)
}

extension ACLWriteError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .keyUnavailable(let reason): "no record can be written: \(reason)"
        case .cannotEncrypt(let key, let error): "nothing can be encrypted to \(key): \(error)"
        case .cannotSeal(let error): "a key could not be sealed: \(error)"
        case .noInvite(let key): "no live invite of the needed kind has the key \(key)"
        case .noSuchRequest(let recordId): "no unanswered request was made by record \(recordId)"
        case .noSharedKeys(let error): "the two accounts share no keys: \(error)"
        case .refused(let error): "the record would be refused: \(error)"
        }
    }
}
