import AnyServer

/// The options by which a command line asks a query.
enum QueryOptions {
    static let filter = Command.Option(
        name: "filter", value: "json", help: "Which records: JSON, @file, or - for standard input.", completion: .files)
    static let sort = Command.Option(
        name: "sort", value: "paths", help: "The order, with commas; a - in front of a path turns it around.",
        isRepeated: true)
    static let limit = Command.Option(name: "limit", value: "count", help: "How many at most.")
    static let offset = Command.Option(name: "offset", value: "count", help: "How many to pass over.")
    static let total = Command.Option(name: "total", help: "Say how many there are in all, and whether more follow.")
    static let projection = Command.Option(
        name: "projection", value: "paths", help: "Fields to take, with commas; a - in front of one leaves it out.",
        isRepeated: true)

    static let all = [filter, sort, limit, offset, total, projection]

    /// Puts into a body what a command line says.
    static func add(_ values: Values, to body: inout JSONObject) throws(CommandFailure) {
        if let word = values.option(filter) { body["filter"] = .object(try JSONInput.object(word)) }
        let sort = paths(values.all(sort))
        if !sort.isEmpty { body["sort"] = .array(sort.map { .string($0) }) }
        body["limit"] = try values.count(limit).map { .integer($0) }
        body["offset"] = try values.count(offset).map { .integer($0) }
        if values.flag(total) { body["includeTotal"] = true }
        let projection = paths(values.all(projection))
        guard !projection.isEmpty else { return }
        body["projection"] = .object(
            JSONObject(
                projection.map { path in
                    path.hasPrefix("-") ? (String(path.dropFirst()), -1) : (path, 1)
                }))
    }

    /// The body of a query that is given as JSON, which goes as it is, or by options.
    ///
    /// - Parameter dataset: the option that names what is asked for.
    static func body(_ values: Values, dataset: Command.Option) throws(CommandFailure) -> [UInt8] {
        if let word = values.optional(.body) {
            if let option = (all + [dataset]).first(where: { values.flag($0) }) {
                throw CommandFailure("give either <body> or --\(option.name), not both")
            }
            return try JSONInput.read(word)
        }
        var body = JSONObject()
        try add(values, to: &body)
        body["dataset"] = values.option(dataset).map { .string($0) }
        return JSONWriter.bytes(.object(body))
    }

    private static func paths(_ texts: [String]) -> [String] {
        texts.flatMap { $0.split(separator: ",").map(String.init) }
    }
}
