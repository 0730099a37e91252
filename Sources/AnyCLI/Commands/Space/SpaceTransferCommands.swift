import AnyServer

/// `any space export` and `any space import`: spaces as files of JSON lines.
enum SpaceTransferCommands {
    static let export = Command.server(
        "export", "Write a space to standard output, for another account to import",
        discussion: """
            One JSON object a line. All content is encrypted for the space's members: the file holds the space's id, the
            records of its members and what they have written.
            """,
        arguments: [.space]
    ) { values, connection throws(CommandFailure) in
        var cursor: String?
        repeat {
            let path: RequestPath = "/v1/spaces/\(values[.space])/export"
            let page = try connection.send(ServerRequest(.get, path.adding("cursor", cursor))).object()
            guard let lines = page.array("lines") else {
                throw CommandFailure("the server's answer has no lines; is it a server of any?", code: .environment)
            }
            let next = page.string("next")
            // A server that says the same page is next would be asked forever.
            guard next == nil || next != cursor else {
                throw CommandFailure("the server's pages do not end", code: .environment)
            }
            cursor = next
            guard Console.out(lines.flatMap { JSONWriter.bytes($0) + [0x0A] }) else {
                throw CommandFailure("standard output can not be written", code: .environment)
            }
        } while cursor != nil
        return .success
    }

    private static let file = Command.Argument(
        name: "file", help: "What an export wrote, or - for standard input.", completion: .files)

    private static let restore = Command.Option(
        name: "restore", help: "Bring a space back that was deleted from this account.")

    static let take = Command.server(
        "import", "Take in a space, or what is new in it, from an export",
        discussion: """
            Everything is verified. To import the same file again changes nothing. Prints the space's id and how much of it
            was new, and what the space is to this account now: "removed" says that it was taken out of it. A file may hold
            several exports, one after another.
            """,
        arguments: [file], options: [restore]
    ) { values, connection throws(CommandFailure) in
        let reader = try LineReader(path: values[file], limit: ImportBatch.lineLimit)
        var batch: ImportBatch?
        while let line = try reader.next() {
            guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) else { continue }
            if try isSpace(line, reader) {
                try finish(batch, connection)
                batch = ImportBatch(space: line, restores: values.flag(restore))
            } else {
                guard batch != nil else {
                    throw CommandFailure("\(reader.name) is no export: its first line is not that of a space")
                }
                if batch?.hasRoom(for: line) == false { try batch?.send(connection) }
                batch?.append(line)
            }
        }
        guard batch != nil else { throw CommandFailure("\(reader.name) is empty; there is nothing to import") }
        try finish(batch, connection)
        return .success
    }

    private static func isSpace(_ line: [UInt8], _ reader: LineReader) throws(CommandFailure) -> Bool {
        guard let kind = (try? JSONParser.parse(line))?.object?.string("kind") else {
            throw CommandFailure("\(reader.name): line \(reader.number) is no line of an export")
        }
        return kind == "space"
    }

    private static func finish(_ batch: ImportBatch?, _ connection: ServerConnection) throws(CommandFailure) {
        guard var batch else { return }
        try batch.send(connection)
        Console.show(batch.result)
    }
}
