import PushCrypto

extension SpaceInfo {
    private static let keyWarning =
        "the space's current key was not given to this account; ask an admin to rotate it"

    /// The row as clients see it (any-api.md, "SpaceInfo"); what is not there is left out.
    var json: JSONObject {
        var row: JSONObject = ["id": .string(id), "spaceType": .string(spaceType.rawValue)]
        // A space of two was made by nobody alone; clients want to know with whom it is.
        row["author"] = (author ?? peer).map { .string($0.accountAddress) }
        row["name"] = name.map { .string($0) }
        row["description"] = description.map { .string($0) }
        row["iconCid"] = iconCid.map { .string($0) }
        row["status"] = .string(status.rawValue)
        row["ownRole"] = .string(ownRole.rawValue)
        row["createdAt"] = .string(Timestamp.text(createdAt))
        if !settings.isEmpty {
            let sorted = settings.sorted { $0.key < $1.key }
            row["settings"] = .object(JSONObject(sorted.map { ($0.key, $0.value.json) }))
        }
        if let push {
            row["push"] = [
                "spaceKey": .string(push.spaceKey), "encKey": .string(push.encKey), "encKeyId": .string(push.encKeyId),
            ]
        }
        if isDerived { row["derived"] = true }
        if wasRemoved { row["removed"] = true }
        if lacksKey { row["warning"] = .string(Self.keyWarning) }
        return row
    }
}

extension SpaceInfo {
    /// The row in a reply about this space alone, which names the space's index too.
    var whole: JSONObject {
        var row = json
        row["spaceIndexObjectId"] = .string(SpaceObject.index(of: id))
        return row
    }

    /// The row as a record of the dataset `spaces`, where times are dates.
    var record: JSONObject {
        var record = json
        record["createdAt"] = Timestamp.json(createdAt)
        return record
    }
}

extension SpaceMember {
    /// The member as clients see it.
    var json: JSONObject {
        var member: JSONObject = [
            "identity": .string(identity.accountAddress), "permission": .string(role.rawValue),
            "role": .string(role.rawValue),
            "status": .string(status.rawValue),
        ]
        member["name"] = name.map { .string($0) }
        return member
    }
}
