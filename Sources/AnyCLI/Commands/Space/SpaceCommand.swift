import AnyServer

/// `any space`: the account's spaces.
enum SpaceCommand {
    static let command = Command(
        name: "space", abstract: "Spaces, their members and their settings",
        subcommands: [
            create, list, get, update, delete, SpaceSettingsCommand.command, query, subscribe, members, invites, rotate,
            oneToOne,
            accept, decline, leave, sync, derived, SpaceTransferCommands.export, SpaceTransferCommands.take,
        ])

    private static let description = Command.Option(name: "description", value: "text", help: "What it is about.")
    private static let icon = Command.Option(name: "icon-cid", value: "cid", help: "The content id of its icon.")
    private static let details: [BodyFields.Field] = [
        ("name", .name), ("description", description), ("iconCid", icon),
    ]

    private static let create = Command.request(
        "create", "Make a space", arguments: [.body], options: details.map(\.option)
    ) { values throws(CommandFailure) in
        ServerRequest(.post, "/v1/spaces", body: try BodyFields.read(values, details) ?? Array("{}".utf8))
    }

    private static let statuses = [
        "unknown", "active", "joining", "leaving", "deleted", "remote_dead", "one_to_one_pending",
        "one_to_one_declined",
        "invite_pending", "invite_declined", "guest_revoked",
    ]
    private static let status = Command.Option(
        name: "status", value: "status", help: "Only spaces of this status, or all. Default: active.",
        completion: .words(statuses + ["all"]))

    private static let list = Command.request("list", "List spaces", options: [status]) { values in
        ServerRequest(.get, RequestPath(stringLiteral: "/v1/spaces").adding("status", values.option(status)))
    }

    private static let get = Command.request("get", "Show a space", arguments: [.space]) { values in
        ServerRequest(.get, "/v1/spaces/\(values[.space])")
    }

    private static let update = Command.request(
        "update", "Change a space's name, description or icon", arguments: [.space, .body],
        options: details.map(\.option)
    ) { values throws(CommandFailure) in
        ServerRequest(.patch, "/v1/spaces/\(values[.space])", body: try BodyFields.require(values, details))
    }

    private static let yes = Command.Option(name: "yes", help: "Really do it.")

    private static let delete = Command.request(
        "delete", "Delete a space from this account",
        discussion: "Its messages are gone afterwards. The keys of its notifications stay, for those still under way.",
        arguments: [.space], options: [yes]
    ) { values throws(CommandFailure) in
        guard values.flag(yes) else {
            throw CommandFailure("deleting a space can not be undone; say --yes to delete \(values[.space])")
        }
        return ServerRequest(.delete, "/v1/spaces/\(values[.space])")
    }

    private static let dataset = Command.Option(
        name: "dataset", value: "name", help: "spaces, or profile for the account's own record. Default: spaces.",
        completion: .words(["spaces", "profile"]))

    private static let query = Command.request(
        "query", "List spaces by a query of your own",
        discussion: "<body> is such as {\"filter\":{\"status\":\"active\"},\"sort\":[\"name\"],\"limit\":20}.",
        arguments: [.body], options: [dataset] + QueryOptions.all
    ) { values throws(CommandFailure) in
        ServerRequest(.post, "/v1/spaces/query", body: try QueryOptions.body(values, dataset: dataset))
    }

    private static let subscribe = Command.stream(
        "subscribe", "Follow a query of spaces",
        discussion: "Prints one JSON object for each event, until it is interrupted or the server stops.",
        arguments: [.body], options: [dataset] + QueryOptions.all
    ) { values, _ throws(CommandFailure) in
        ServerRequest(.post, "/v1/spaces/query/subscribe", body: try QueryOptions.body(values, dataset: dataset))
    }

    private static let sync = Command.request("sync", "Bring a space up to date", arguments: [.space]) { values in
        ServerRequest(.post, "/v1/spaces/\(values[.space])/sync")
    }

    private static let derived = Command.request("derived", "List the spaces that follow from the account's key") { _ in
        ServerRequest(.get, "/v1/spaces/derived")
    }

    private static let members = Command(
        name: "members", abstract: "The members of a space",
        subcommands: [listMembers, addMember, setRole, removeMember])

    private static let listMembers = Command.request("list", "List members", arguments: [.space]) { values in
        ServerRequest(.get, "/v1/spaces/\(values[.space])/members")
    }

    private static let role = Command.Option(
        name: "role", value: "role", help: "admin, writer or reader. Default: writer.",
        completion: .words(["admin", "writer", "reader"]))

    private static let addMember = Command.request(
        "add", "Let an account into a space", arguments: [.space, .identity], options: [role]
    ) { values in
        var body: JSONObject = ["identity": .string(values[.identity])]
        body["permission"] = values.option(role).map { .string($0) }
        return ServerRequest(.post, "/v1/spaces/\(values[.space])/members", body: body)
    }

    private static let newRole = Command.Argument(
        name: "role", help: "admin, writer, reader or guest.",
        completion: .words(["admin", "writer", "reader", "guest"]))

    private static let setRole = Command.request(
        "set-role", "Change what a member may do", arguments: [.space, .identity, newRole]
    ) { values in
        ServerRequest(
            .patch, "/v1/spaces/\(values[.space])/members/\(values[.identity])",
            body: ["permission": .string(values[newRole])])
    }

    private static let leave = Command.request(
        "leave", "Ask to be removed from a space",
        discussion: """
            The request is in the space's export: an owner or admin who imports it removes the account. Until then the space's
            status is leaving, and it notifies no more. A space of your own is deleted instead.
            """,
        arguments: [.space]
    ) { values in
        ServerRequest(.post, "/v1/spaces/\(values[.space])/leave")
    }

    private static let removeMember = Command.request(
        "remove", "Remove an account, change the read key and revoke invites", arguments: [.space, .identity]
    ) { values in
        ServerRequest(.delete, "/v1/spaces/\(values[.space])/members/\(values[.identity])")
    }

    private static let invites = Command(
        name: "invites", abstract: "The invites of a space", subcommands: [listInvites, revokeInvite])

    private static let listInvites = Command.request("list", "List invites", arguments: [.space]) { values in
        ServerRequest(.get, "/v1/spaces/\(values[.space])/invites")
    }

    private static let invite = Command.Argument(name: "invite", help: "An invite's id, as the list has it.")

    private static let revokeInvite = Command.request(
        "revoke", "Revoke an invite; one for anyone changes the read key too",
        arguments: [.space, invite]
    ) { values in
        ServerRequest(.delete, "/v1/spaces/\(values[.space])/invites/\(values[invite])")
    }

    private static let rotate = Command.request(
        "rotate", "Change a space's read key, and revoke its invites", arguments: [.space]
    ) { values in
        ServerRequest(.post, "/v1/spaces/\(values[.space])/rotate")
    }

    private static let oneToOne = Command.request(
        "one-to-one", "Make the space of this account and one other, or find it", arguments: [.identity]
    ) { values in
        ServerRequest(.post, "/v1/spaces/one-to-one", body: ["otherIdentity": .string(values[.identity])])
    }

    private static let accept = Command.request(
        "accept", "Accept a one-to-one space", arguments: [.space]
    ) { values in
        ServerRequest(.post, "/v1/spaces/\(values[.space])/one-to-one/accept")
    }

    private static let decline = Command.request(
        "decline", "Decline a one-to-one space", arguments: [.space]
    ) { values in
        ServerRequest(.post, "/v1/spaces/\(values[.space])/one-to-one/decline")
    }
}
