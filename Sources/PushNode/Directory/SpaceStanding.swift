public import PushCrypto

/// What a space's ACL log says of the account: whether it is a member now, and its keys then.
public struct SpaceStanding: Sendable {
    /// How many records the log has.
    public let recordCount: Int
    /// The id of the log's last record.
    public let head: String
    /// The keys of the space's notifications, or why the account has none.
    public let keys: Result<SpacePushKeys, ACLKeyUnavailable>

    init(_ state: ACLState) {
        recordCount = state.recordCount
        head = state.head
        keys = Result { () throws(ACLKeyUnavailable) in try state.pushKeys() }
    }
}

/// Why a space's ACL log does not tell where the account stands.
public enum SpaceKeyringError: Error, Hashable, Sendable {
    /// The directory has no record of the log, not even its root.
    case noRecords
    /// The log has more records than are replayed.
    case tooManyRecords(limit: Int)
    /// The log is that of another space.
    case wrongSpace(expected: String, found: String)
    /// The directory gave more records than it was asked for.
    case pageTooLong(limit: Int, found: Int)
    /// A record was refused, so what comes after it is not known.
    case refused(ACLError)
}

extension SpaceKeyringError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noRecords: "the space's ACL log has no records on this device; let the space finish loading"
        case .tooManyRecords(let limit): "the space's ACL log has more than \(limit) records"
        case .wrongSpace(let expected, let found):
            "the ACL log is of space \(found), expected \(expected); the directory mixes up its spaces"
        case .pageTooLong(let limit, let found): "expected at most \(limit) ACL records, the directory gave \(found)"
        case .refused(let error): "\(error)"
        }
    }
}
