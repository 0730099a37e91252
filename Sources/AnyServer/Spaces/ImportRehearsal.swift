import PushCrypto

/// Reads what an import reads of a file from anybody, without an account; for fuzzers and tests.
package enum ImportRehearsal {
    /// Reads the body of an import: its JSON, each of its lines, and all of them as one batch.
    ///
    /// - Returns: whether every line that could be read is the same once it is written and read again.
    package static func readsLines(of body: [UInt8]) -> Bool {
        guard let lines = try? JSONParser.parse(body).object?.array("lines")?.compactMap(\.object) else { return true }
        _ = try? ImportBatch(lines)
        return lines.allSatisfy { json in
            guard let line = try? ExportLine(json) else { return true }
            return (try? ExportLine(line.json)) == line
        }
    }

    /// Reads a change as it travels and, as a member who has opened one does, its content.
    ///
    /// - Returns: whether what could be read is the same once it is written and read again.
    package static func readsChange(_ bytes: [UInt8]) -> Bool {
        if let change = try? SignedChange(bytes) {
            guard change.bytes == bytes, change.id == CID(of: bytes).text else { return false }
        }
        guard let content = try? ChangeContent(bytes[...]) else { return true }
        guard (try? ChangeContent(content.marshalled()[...])) == content else { return false }
        if content.kind == .spaceDetails {
            guard let details = try? SpaceDetails(content.body) else { return true }
            return (try? SpaceDetails(details.body)) == details
        }
        guard let change = try? ChatChange(content) else { return true }
        let again = ChangeContent(
            counter: content.counter, createdAt: content.createdAt, kind: change.kind, body: change.marshalled())
        return (try? ChatChange(again)) == change
    }

    /// An import of a space with one change, as its owner makes it.
    package static func honestLines() -> [UInt8]? {
        guard let space = RehearsedSpace() else { return nil }
        let lines: [ExportLine] = [
            .space(id: space.id, header: space.header, recordCount: 1), .record(position: 0, space.root),
            .details(id: space.change.id, change: space.change.bytes),
        ]
        return JSONWriter.bytes(["lines": .array(lines.map { .object($0.json) })])
    }

    /// A signed change, and contents of each kind.
    package static func honestChanges() -> [[UInt8]] {
        guard let space = RehearsedSpace() else { return [] }
        let author = SigningKey()
        let message = MessageRef(chatId: space.change.id, messageId: space.root.id)
        let body = MessageBody(
            chatId: message.chatId, text: "any://m/\(space.id)/\(author.publicKey.accountAddress)",
            replyTo: message.messageId, repliedAuthor: author.publicKey)
        let changes: [ChatChange] = [
            .createChat(name: "Lighthouse"), .renameChat(chatId: message.chatId, name: "Lamp"), .message(body),
            .edit(message, text: "Again"), .delete(message), .reaction(message, emoji: "👍", isOn: true),
        ]
        let contents = changes.map {
            ChangeContent(counter: 7, createdAt: 1_700_000_000_000, kind: $0.kind, body: $0.marshalled())
        }
        return [space.change.bytes, space.details.marshalled()] + contents.map { $0.marshalled() }
    }
}

/// A space of its own, with a name.
private struct RehearsedSpace {
    let id: String
    let header: [UInt8]
    let root: RawRecordWithId
    let details: ChangeContent
    let change: SignedChange

    init?() {
        let account = SigningKey()
        let header = SpaceHeader(
            identity: account.publicKey, timestamp: 1_700_000_000, spaceType: SpaceType.space.rawValue,
            replicationKey: 1
        ).signed(by: account)
        (id, self.header) = (header.spaceId, header.rawHeader)
        do {
            root = try .root(
                spaceId: id, account: account, masterKey: account, metadata: MemberMetadata(name: "Ada").bytes,
                timestamp: 1_700_000_000)
            details = ChangeContent(
                counter: 1, createdAt: 1_700_000_000_000, kind: .spaceDetails,
                body: try SpaceDetails(name: "Lighthouse", description: nil, iconCid: nil).body)
            change = try SignedChange(details, in: id, try SpaceLog(root: root, account: account).state, by: account)
        } catch {
            return nil
        }
    }
}
