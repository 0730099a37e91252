/// The shapes of spaces and their members (any-api.md, "SpaceInfo").
enum SpaceSchemas {
    /// A space's row.
    static let info = Schema.named(
        "SpaceInfo",
        .object([
            .required("id", .string()), .optional("type", .string()),
            .optional("spaceType", .oneOf(SpaceType.allCases.map(\.rawValue))),
            .optional("author", .string(), "Who made the space; of a space of two, the other account."),
            .optional("name", .string()),
            .optional("description", .string()), .optional("iconCid", .string()), .required("status", status),
            .required("ownRole", role), .required("createdAt", .string(), "RFC 3339."),
            .optional("settings", .map(of: .scalar), "Private to the account."),
            .optional("spaceIndexObjectId", .string()), .optional("push", push, "Absent until there are keys."),
            .optional("removed", .boolean, "Whether the account was taken out of a space that is deleted for it."),
            .optional("derived", .boolean), .optional("warning", .string(), "What keeps the account from taking part."),
        ]))

    /// The keys that phones read pushes with.
    private static let push = Schema.named(
        "SpacePush",
        .object([
            .required("spaceKey", .string()), .required("encKey", .string()), .required("encKeyId", .string()),
        ]))

    static let status = Schema.named("SpaceStatus", .oneOf(SpaceStatus.allCases.map(\.rawValue)))
    static let role = Schema.named("SpaceRole", .oneOf(SpaceRole.allCases.map(\.rawValue)))

    /// What a space's members see of it, as a request gives it.
    static let details = Schema.named(
        "SpaceDetails",
        .object([
            .optional("name", .string()), .optional("description", .string()), .optional("iconCid", .string()),
        ]))

    /// An account that a space's log names.
    static let member = Schema.named(
        "SpaceMember",
        .object([
            .required("identity", .string()), .required("permission", role),
            .deprecated("role", role, insteadOf: "permission"), .required("status", .string()),
            .optional("name", .string()),
        ]))
}
