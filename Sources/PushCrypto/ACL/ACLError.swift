public import ProtoWire

/// Why a record of an ACL log was refused. The log is as it was before the record.
public struct ACLError: Error, Hashable, Sendable {
    /// The record's position in the log, the root being 0.
    public let recordIndex: Int
    /// The id that the record claims, cut to the length of one.
    public let recordId: String
    /// The position of the content that was refused, when a content was.
    public let contentIndex: Int?
    /// What is wrong with the record.
    public let reason: Reason

    init(recordIndex: Int, recordId: String, contentIndex: Int? = nil, reason: Reason) {
        self.recordIndex = recordIndex
        self.recordId = String(recordId.unicodeScalars.prefix(CID.textLength))
        self.contentIndex = contentIndex
        self.reason = reason
    }
}

extension ACLError {
    /// What is wrong with a record, in the order in which it is checked (protocol.md §2).
    public enum Reason: Error, Hashable, Sendable {
        /// There is no record at all, not even a root.
        case rootMissing
        /// A record with this id is in the log already.
        case duplicateRecord
        /// A message of the record is not well-formed.
        case malformed(Message, ProtoError)
        /// The lists of the record have more elements in all than are read.
        case tooManyElements(maximum: Int)
        /// The id is not the one of the payload.
        case wrongId(expected: CID)
        /// The acceptor's identity is no key; it is missing when the record never went through the network.
        case acceptorUnreadable(KeyError)
        /// Somebody else than the network accepted the record.
        case acceptorNotNetwork(expected: PublicKey, found: PublicKey)
        /// The acceptor's signature is not valid.
        case acceptorSignatureInvalid
        /// A key of the record is no key.
        case keyUnreadable(Field, KeyError)
        /// The author's signature, or the master key's under the identity, is not valid.
        case signatureInvalid(Field)
        /// The record does not follow the last one.
        case wrongPreviousRecord(expected: String)
        /// The log of a one-to-one space ends with its root.
        case oneToOneSpaceIsClosed
        /// A one-to-one root does not have exactly two writers.
        case wrongNumberOfWriters(expected: Int, found: Int)
        /// A one-to-one root names no owner.
        case ownerMissing
        /// A one-to-one root is not signed by the owner that it names.
        case ownerNotAuthor(expected: PublicKey, found: PublicKey)
        /// The owner of a one-to-one space is not the key that its writers share.
        case ownerNotShared(expected: PublicKey, found: PublicKey)
        /// The author's permissions do not allow this to it.
        case notAllowed(author: ACLPermissions)
        /// These permissions can not be given here, or not by this author.
        case permissionsNotAllowed(ACLPermissions)
        /// The permissions of this account can not be changed or taken here, or not by this author.
        case accountNotAllowed(ACLPermissions)
        /// The log knows no such account, or it is no member.
        case noSuchAccount(PublicKey)
        /// The account is a member already.
        case alreadyMember(PublicKey)
        /// The account is named twice.
        case duplicateAccount(PublicKey)
        /// There is no live invite of the kind that is needed.
        case noSuchInvite(recordId: String)
        /// There is no unanswered request of the kind that is needed.
        case noSuchRequest(recordId: String)
        /// The account has a request that nobody answered.
        case requestPending(recordId: String)
        /// The content speaks for somebody else.
        case wrongIdentity(expected: PublicKey, found: PublicKey)
        /// The invite's permissions are these already.
        case permissionsUnchanged(ACLPermissions)
        /// The metadata is too long, in bytes.
        case metadataTooLong(maximum: Int, found: Int)
        /// A field that the content can not do without is absent.
        case missing(Field)
        /// A read key change is not for exactly the present members.
        case wrongAccountKeys(expected: Int, found: Int)
        /// A read key change is not for exactly the live invites that need no approval.
        case wrongInviteKeys(expected: Int, found: Int)
        /// A key that is meant for this account does not open.
        case cannotDecrypt(Field)
        /// A new record has nothing in it.
        case noContents
        /// A new record has a content of a kind that is not known here.
        case unknownContent
    }

    /// A message of protocol.md §2.
    public enum Message: String, Hashable, Sendable {
        case rawRecord = "RawRecord"
        case root = "AclRoot"
        case record = "Record"
        case data = "AclData"
    }

    /// A field of protocol.md §2.
    public enum Field: String, Hashable, Sendable {
        case identity
        case masterKey
        case owner
        case writer
        case inviteKey
        case readKey = "encryptedReadKey"
        case oldReadKey = "encryptedOldReadKey"
        case metadataPublicKey = "metadataPubKey"
        case metadataKey = "encryptedMetadataPrivKey"
        case readKeyChange
        case signature
        case identitySignature
        case inviteIdentitySignature
    }
}
