import PushCrypto

extension ErrorCode {
    static let spaceNotFound = ErrorCode("space.not_found", .notFound)
    static let spaceForbidden = ErrorCode("space.forbidden", .forbidden)
    static let spaceDeleted = ErrorCode("space.deleted", .conflict)
    static let spaceReadOnly = ErrorCode("space.read_only", .forbidden)
    static let spaceNotAccepted = ErrorCode("space.not_accepted", .conflict)
    static let spaceDerivedUndeletable = ErrorCode("space.derived_undeletable", .conflict)
    static let spaceUnsupported = ErrorCode("space.unsupported", .methodNotAllowed)
    static let spaceNotOneToOne = ErrorCode("space.not_one_to_one", .conflict)
    static let spaceNotPending = ErrorCode("space.not_pending", .conflict)
    static let spaceMembersFixed = ErrorCode("space.members_fixed", .conflict)
    static let spaceInvalidIdentity = ErrorCode("space.invalid_identity", .badRequest)
    static let spaceAlreadyMember = ErrorCode("space.already_member", .conflict)
    static let spaceMemberNotFound = ErrorCode("space.member_not_found", .notFound)
    static let spaceTooManyMembers = ErrorCode("space.too_many_members", .conflict)
    static let spaceLogTooLarge = ErrorCode("space.log_too_large", .conflict)
    static let spaceKeyMissing = ErrorCode("space.key_missing", .conflict)
    static let spaceInviteNotFound = ErrorCode("space.invite_not_found", .notFound)
    static let spaceFork = ErrorCode("space.fork", .conflict)
    static let spaceGap = ErrorCode("space.gap", .conflict)
    static let spaceNotMember = ErrorCode("space.not_member", .forbidden)
    static let crdtVersionNewer = ErrorCode("sdk.crdt_version_newer", .conflict)
    static let spaceBadImport = ErrorCode("space.import_invalid", .badRequest)
}

extension SpaceError: LoggedFault {
    var logText: String {
        switch self {
        case .damaged(let reason): "the space's data is damaged: \(reason)"
        case .notWritten(let error): "a record of the space could not be written: \(error)"
        default: apiError.message
        }
    }
}

extension SpaceError: APIErrorConvertible {
    var apiError: APIError {
        switch self {
        case .notFound: APIError(.spaceNotFound, "no such space")
        case .forbidden(let role):
            APIError(
                .spaceForbidden, "the account's role in the space (\(role.rawValue)) does not allow this",
                details: ["ownRole": .string(role.rawValue)]
            )
        case .readOnly(let role):
            APIError(
                .spaceReadOnly, "the account's role in the space (\(role.rawValue)) is to read it, not to write to it",
                details: ["ownRole": .string(role.rawValue)]
            )
        case .derivedStays:
            APIError(.spaceDerivedUndeletable, "the space follows from the account's key and is permanent")
        case .unsupported: APIError(.spaceUnsupported, "the account's own space has no such route")
        case .deleted: APIError(.spaceDeleted, "the space is deleted here; only its settings can be changed")
        case .removed:
            APIError(
                .spaceDeleted, "this account was removed from the space; only its settings can be changed",
                details: ["removed": true]
            )
        case .deletedBefore:
            APIError(
                .spaceDeleted,
                "the space was deleted here; `any space import --restore`, or \"restore\": true, brings it back"
            )
        case .notActive(let status):
            APIError(
                .spaceNotAccepted, "the space is \(status.rawValue) and not active yet",
                details: ["status": .string(status.rawValue)]
            )
        case .notOneToOne: APIError(.spaceNotOneToOne, "only one-to-one spaces are accepted or declined")
        case .notPending: APIError(.spaceNotPending, "the one-to-one space was accepted already; delete it instead")
        case .membersAreFixed: APIError(.spaceMembersFixed, "the members and keys of a one-to-one space never change")
        case .invalidIdentity(let field):
            APIError(
                .spaceInvalidIdentity, "\(field) must be an account's identity, a text that starts with A",
                details: ["field": .string(field)]
            )
        case .ownIdentity:
            APIError(.spaceInvalidIdentity, "the identity is this account's own; name another account's")
        default: memberError ?? otherError
        }
    }

    private var memberError: APIError? {
        switch self {
        case .alreadyMember: APIError(.spaceAlreadyMember, "the account is a member of the space already")
        case .noSuchMember: APIError(.spaceMemberNotFound, "the account is no member of the space")
        case .memberStays(let role):
            APIError(
                .spaceForbidden, "this account can not remove that member (\(role.rawValue)) from the space",
                details: ["role": .string(role.rawValue)]
            )
        case .roleStays(let role):
            APIError(
                .spaceForbidden, "this account can not change the role of that member (\(role.rawValue))",
                details: ["role": .string(role.rawValue)]
            )
        case .ownerStays:
            APIError(
                .spaceForbidden, "the owner of a space can not leave it; delete it instead",
                details: ["ownRole": .string(SpaceRole.owner.rawValue)]
            )
        case .roleNotAllowed(let role):
            APIError(
                .spaceForbidden, "this account can not give the role \(role.rawValue) to a member",
                details: ["role": .string(role.rawValue)]
            )
        case .tooManyMembers(let limit):
            APIError(
                .spaceTooManyMembers, "a space has at most \(limit) members",
                details: ["limit": .integer(Int64(limit))]
            )
        case .logTooLarge(let measure, let limit):
            APIError(
                .spaceLogTooLarge,
                "the log of the space has more than \(limit) \(measure.rawValue), the most that are kept; make a new space",
                details: ["measure": .string(measure.rawValue), "limit": .integer(Int64(limit))]
            )
        case .keyMissing(let reason): APIError(.spaceKeyMissing, "\(reason)")
        case .noSuchInvite: APIError(.spaceInviteNotFound, "the space has no such invite; it may have been revoked")
        case .notWritten: APIError(.spaceForbidden, "the space's rules do not allow this change")
        default: nil
        }
    }

    private var otherError: APIError {
        switch self {
        case .nothingToChange: APIError(.missingField, "at least one of name, description, iconCid is required")
        case .textTooLong(let field, let limit, let found):
            APIError(
                .invalidField, "\(field) has \(found) bytes, at most \(limit) are kept",
                details: [
                    "field": .string(field), "max_bytes": .integer(Int64(limit)), "got_bytes": .integer(Int64(found)),
                ]
            )
        case .noSettings: APIError(.missingField, "at least one set or unset entry is required")
        case .invalidSetting(let key, let fault):
            APIError(.invalidField, fault.message(for: key), details: ["key": .string(key)])
        case .settingsTooLarge(let limit):
            APIError(
                .invalidField, "a space's settings have at most \(limit) bytes in all; unset some",
                details: ["max_bytes": .integer(Int64(limit))]
            )
        case .fork(let position, let local, let imported):
            APIError(
                .spaceFork,
                "record \(position) of the imported log is \(imported), here it is \(local): the logs part; "
                    + "none was changed",
                details: [
                    "index": .integer(Int64(position)), "localRecordId": .string(local),
                    "importedRecordId": .string(imported),
                ]
            )
        case .gap(let expected, let found):
            APIError(
                .spaceGap,
                "the imported log goes on at record \(found), record \(expected) is next here; import from the start",
                details: ["expected": .integer(Int64(expected)), "found": .integer(Int64(found))]
            )
        case .notMember: APIError(.spaceNotMember, "this account is no member of the imported space")
        case .badLine(let number, let reason):
            APIError(
                .spaceBadImport, "line \(number): \(reason); nothing of this batch was imported",
                details: ["line": .integer(Int64(number)), "reason": .string(reason)]
            )
        case .newerExport(let line):
            APIError(
                .crdtVersionNewer,
                "line \(line): a newer version of the server has made this export; update this one and import it again, "
                    + "nothing of this batch was imported",
                details: ["line": .integer(Int64(line))]
            )
        case .badCursor:
            APIError(.invalidField, "cursor is not one of this export; start without one", details: ["field": "cursor"])
        default: APIError(.internalError, "the space's data here is damaged; see the server's log")
        }
    }
}

extension SpaceError.SettingFault {
    func message(for key: String) -> String {
        switch self {
        case .emptyKey: "a setting's key must not be empty"
        case .dotInKey: "the setting's key \"\(key)\" must not contain a dot"
        case .notScalar: "the value of setting \"\(key)\" must be a string, a number or a boolean"
        case .inBoth: "the setting \"\(key)\" is in both set and unset"
        }
    }
}
