extension ACLError: CustomStringConvertible {
    /// What was refused and why, with public keys at most.
    public var description: String {
        let content = contentIndex.map { ", content \($0)" } ?? ""
        return "ACL record \(recordIndex) (\(recordId))\(content): \(reason)"
    }
}

extension ACLError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .rootMissing:
            "the log is empty; it begins with a root"
        case .duplicateRecord:
            "the record is in the log already; leave it out"
        case .malformed(let message, let error):
            "\(message.rawValue) is not well-formed: \(error)"
        case .tooManyElements(let maximum):
            "the lists of the record have more than \(maximum) elements in all"
        case .wrongId(let expected):
            "the id is not the payload's, which is \(expected)"
        case .acceptorUnreadable(let error):
            "the acceptor's identity is no key (\(error)); only records that the network accepted carry one"
        case .acceptorNotNetwork(let expected, let found):
            "accepted by \(found.networkId) and not by the network \(expected.networkId)"
        case .acceptorSignatureInvalid:
            "the acceptor's signature is not valid"
        case .keyUnreadable(let field, let error):
            "\(field.rawValue) is no key: \(error)"
        case .signatureInvalid(let field):
            "\(field.rawValue) is not valid"
        case .wrongPreviousRecord(let expected):
            "prevId is not the last record, \(expected); records are missing or came in another order"
        case .oneToOneSpaceIsClosed:
            "the log of a one-to-one space ends with its root"
        case .wrongNumberOfWriters(let expected, let found):
            "a one-to-one space has \(expected) writers, the root names \(found)"
        case .ownerMissing:
            "the root of a one-to-one space names no owner"
        case .ownerNotAuthor(let expected, let found):
            "the root of a one-to-one space is by \(found) and not by the owner it names, \(expected)"
        case .ownerNotShared(let expected, let found):
            "the owner of the one-to-one space is \(found), not the key that its writers share, \(expected)"
        default:
            contentDescription
        }
    }

    private var contentDescription: String {
        switch self {
        case .notAllowed(let author):
            "the author's permissions (\(author)) do not allow it"
        case .permissionsNotAllowed(let permissions):
            "the permissions \(permissions) can not be given here by this author"
        case .accountNotAllowed(let permissions):
            "an account with the permissions \(permissions) can not be changed so by this author"
        case .noSuchAccount(let identity):
            "\(identity) is not in the space"
        case .alreadyMember(let identity):
            "\(identity) is a member already"
        case .duplicateAccount(let identity):
            "\(identity) is named twice"
        case .noSuchInvite(let recordId):
            "no live invite of the needed kind was made by record \(recordId.prefix(CID.textLength))"
        case .noSuchRequest(let recordId):
            "no unanswered request of the needed kind was made by record \(recordId.prefix(CID.textLength))"
        case .requestPending(let recordId):
            "the account's request \(recordId) is not answered yet"
        case .wrongIdentity(let expected, let found):
            "it speaks for \(found) and should speak for \(expected)"
        case .permissionsUnchanged(let permissions):
            "the invite's permissions are \(permissions) already"
        case .metadataTooLong(let maximum, let found):
            "the metadata is \(found) bytes long, the maximum is \(maximum)"
        case .missing(let field):
            "\(field.rawValue) is absent"
        case .wrongAccountKeys(let expected, let found):
            "accountKeys is not for exactly the \(expected) members: it has \(found) entries"
        case .wrongInviteKeys(let expected, let found):
            "inviteKeys is not for exactly the \(expected) invites without approval: it has \(found) entries"
        case .cannotDecrypt(let field):
            "\(field.rawValue) for this account does not open"
        case .noContents:
            "a new record must have contents"
        case .unknownContent:
            "a new record must not have contents of an unknown kind"
        default:
            "refused"
        }
    }
}
