import PushCrypto

extension AclStateReplay {
    /// The current keys and what follows from them.
    func expectPushKeys(_ view: JSON, _ state: ACLState) throws {
        try expectCurrentReadKey(view, state)
        try expectSpaceKey(view, state)
        // Only members send, whatever keys others still have.
        guard view["encKey"] != nil, view["spaceKey"] != nil, state.permissions.isMember else {
            return try expectError("push keys") { try state.pushKeys() }
        }
        let row = try state.pushKeys().receiverKeys
        try expect(row.spaceKey, equals: view.string("spaceKey"), "spaceKey of the row")
        try expect(row.encKey, equals: view.string("encKey"), "encKey of the row")
        try expect(row.encKeyId, equals: view.string("encKeyId"), "encKeyId of the row")
    }

    private func expectCurrentReadKey(_ view: JSON, _ state: ACLState) throws {
        guard view["currentReadKey"] != nil else {
            try expect(view["encKey"] == nil, "encKey without currentReadKey")
            return try expectReason(of: state)
        }
        try expect(view["currentReadKeyError"] == nil, "currentReadKeyError beside a key")
        let key = try state.currentReadKey()
        try expect(key.rawBytes(), equals: view.hex("currentReadKey"), "currentReadKey")
        let encryptionKey = SpacePushKeys.encryptionKey(readKey: key)
        try expect(encryptionKey.keyId, equals: view.string("encKeyId"), "encKeyId")
        guard let base64 = view["encKey"]?.stringValue else { throw VectorMismatch("no encKey beside currentReadKey") }
        let keys = SpacePushKeys(spaceKey: SigningKey(), encryptionKey: encryptionKey)
        try expect(keys.receiverKeys.encKey, equals: base64, "encKey")
    }

    /// The reference returns no key without a reason; ours gives the reason.
    private func expectReason(of state: ACLState) throws {
        let expected: ACLKeyUnavailable =
            switch state.status {
            case .none: .neverMember
            case .joining: .pending
            case .declined: .declined
            case .canceled: .canceled
            case .removed: .removed
            case .active, .removing: .leftOut(recordId: state.currentReadKeyId)
            }
        do throws(ACLKeyUnavailable) {
            _ = try state.currentReadKey()
        } catch {
            return try expect(error, equals: expected, "why there is no current read key")
        }
        throw VectorMismatch("currentReadKey: expected none, found one")
    }

    private func expectSpaceKey(_ view: JSON, _ state: ACLState) throws {
        guard view["firstMetadataKey"] != nil else {
            try expect(view["spaceKey"] == nil, "spaceKey without firstMetadataKey")
            return try expectError("firstMetadataKey") { try state.firstMetadataKey() }
        }
        try expect(view["firstMetadataKeyError"] == nil, "firstMetadataKeyError beside a key")
        let metadataKey = try state.firstMetadataKey()
        try expect(metadataKey.rawBytes(), equals: view.hex("firstMetadataKey"), "firstMetadataKey")
        let spaceKey = try SpacePushKeys.spaceKey(firstMetadataKey: metadataKey)
        let publicKey = spaceKey.publicKey.rawRepresentation
        try expect(publicKey, equals: view.hex("pushSpaceKeyPub"), "pushSpaceKeyPub")
        try expect(Base58.encode(publicKey), equals: view.string("pushSpaceKeyPubBase58"), "pushSpaceKeyPubBase58")
        let keys = SpacePushKeys(spaceKey: spaceKey, encryptionKey: SymmetricKey())
        try expect(keys.receiverKeys.spaceKey, equals: view.string("spaceKey"), "spaceKey")
    }
}
