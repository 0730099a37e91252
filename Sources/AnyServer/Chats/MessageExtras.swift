/// What a message carries beside its text: the JSON groups `agent`, `attachments`, `context` and `control`, each
/// checked. They are given when a message is sent; an edit can change the agent alone.
struct MessageExtras: Hashable, Sendable {
    /// The groups that are there, in the form in which a message's record shows them.
    private(set) var fields = JSONObject()

    /// No extras.
    init() {}

    /// Reads and checks the groups of a request's body or of a change. Other fields are not looked at, and `null` is as
    /// good as nothing.
    ///
    /// - Throws: ``ChatError`` for the first group that is wrong.
    init(_ object: JSONObject) throws(ChatError) {
        for (name, check) in Self.checks {
            guard let value = object[name], value != .null else { continue }
            let checked = try check(value)
            // Without attachments there is nothing to show.
            if name == "attachments", checked.isEmpty { continue }
            fields[name] = .object(checked)
        }
    }

    /// Reads and checks the agent alone.
    ///
    /// - Throws: ``ChatError/agentInvalid(reason:)``.
    init(agentOf object: JSONObject) throws(ChatError) {
        guard let value = object["agent"], value != .null else { return }
        agent = try Self.agent(value)
    }

    /// Reads the groups of a change, as JSON.
    ///
    /// - Throws: ``ChangeError/wrongField(_:)``.
    init(change bytes: ArraySlice<UInt8>, in field: String) throws(ChangeError) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONParser.parse(Array(bytes)) } catch { throw .wrongField(field) }
        guard let object = value.object else { throw .wrongField(field) }
        do throws(ChatError) { try self.init(object) } catch { throw .wrongField(field) }
    }

    /// The software that writes the message: `{name, debugLink?, done, outcome?}`.
    var agent: JSONObject? {
        get { fields.object("agent") }
        set { fields["agent"] = newValue.map { .object($0) } }
    }

    var isEmpty: Bool { fields.isEmpty }
    var hasControl: Bool { fields["control"] != nil }
    var attachmentCount: Int { fields.object("attachments")?.count ?? 0 }

    private typealias Check = @Sendable (JSONValue) throws(ChatError) -> JSONObject

    private static let checks: [(String, Check)] = [
        ("agent", { value throws(ChatError) in try agent(value) }),
        ("attachments", { value throws(ChatError) in try attachments(value) }),
        ("context", { value throws(ChatError) in try context(value) }),
        ("control", { value throws(ChatError) in try control(value) }),
    ]

    /// `{name, debugLink?, done, outcome?}`.
    private static func agent(_ value: JSONValue) throws(ChatError) -> JSONObject {
        var group = GroupReader(value)
        group.text("name", ChatLimits.nameByteCount, isRequired: true)
        group.text("debugLink", ChatLimits.linkByteCount)
        group.flag("done", isRequired: true)
        group.text("outcome", ChatLimits.nameByteCount)
        if let problem = group.problem { throw .agentInvalid(reason: problem) }
        return group.fields
    }

    /// `{spaceId, objectId?, view?}`.
    private static func context(_ value: JSONValue) throws(ChatError) -> JSONObject {
        var group = GroupReader(value)
        group.text("spaceId", ChatLimits.nameByteCount, isRequired: true)
        group.text("objectId", ChatLimits.nameByteCount)
        group.text("view", ChatLimits.nameByteCount)
        if let problem = group.problem { throw .contextInvalid(reason: problem) }
        return group.fields
    }

    /// `{kind, hard?}`.
    private static func control(_ value: JSONValue) throws(ChatError) -> JSONObject {
        var group = GroupReader(value)
        group.text("kind", ChatLimits.controlKindByteCount, isRequired: true)
        group.flag("hard")
        if let problem = group.problem { throw .controlInvalid(reason: problem) }
        return group.fields
    }

    /// An object of `{type, link, order?}` by short ids; a list of them too, whose ids are then `a1`, `a2`, ….
    private static func attachments(_ value: JSONValue) throws(ChatError) -> JSONObject {
        // Each with its place as the sender wrote it.
        let entries: [(id: String, place: String, value: JSONValue)]
        switch value {
        case .object(let object): entries = object.fields.map { ($0.name, ".\($0.name)", $0.value) }
        case .array(let elements): entries = elements.enumerated().map { ("a\($0 + 1)", "[\($0)]", $1) }
        default: throw .attachmentsInvalid(reason: " must be an array or an object, got \(value.kind)")
        }
        guard entries.count <= ChatLimits.attachments else {
            throw .attachmentsInvalid(
                reason: " has \(entries.count) entries, at most \(ChatLimits.attachments) are taken"
            )
        }
        var checked = JSONObject()
        for (id, place, entry) in entries {
            guard isAttachmentId(id) else {
                throw .attachmentsInvalid(reason: ": an id must be 1 to 64 letters, digits, - or _")
            }
            var group = GroupReader(entry)
            group.text("type", ChatLimits.nameByteCount, isRequired: true)
            group.text("link", ChatLimits.linkByteCount, isRequired: true)
            group.place("order")
            if let problem = group.problem { throw .attachmentsInvalid(reason: "\(place)\(problem)") }
            checked[id] = .object(group.fields)
        }
        return checked
    }

    private static func isAttachmentId(_ id: String) -> Bool {
        ChatText.isWithin(ChatLimits.attachmentIdByteCount, id)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

/// Reads the fields of one group, all of which must be known. The first problem stays.
private struct GroupReader {
    private(set) var fields = JSONObject()
    private var found: String?
    private let object: JSONObject
    private var known: [String] = []

    init(_ value: JSONValue) {
        object = value.object ?? JSONObject()
        if value.object == nil { found = " must be an object, got \(value.kind)" }
    }

    /// What is wrong, unknown fields last. Names only fields that are known.
    var problem: String? {
        if let found { return found }
        guard object.fields.allSatisfy({ known.contains($0.name) }) else {
            return " has an unknown field; accepted fields: \(known.joined(separator: ", "))"
        }
        return nil
    }

    mutating func text(_ name: String, _ limit: Int, isRequired: Bool = false) {
        read(name, isRequired: isRequired, "must be text of 1 to \(limit) bytes without control characters") { value in
            value.string.map { ChatText.isLine($0, limit) } == true
        }
    }

    mutating func flag(_ name: String, isRequired: Bool = false) {
        read(name, isRequired: isRequired, "must be true or false") { $0.bool != nil }
    }

    mutating func place(_ name: String) {
        read(name, isRequired: false, "must be a number or a short text") { value in
            value.number != nil || value.string.map { ChatText.isLine($0, ChatLimits.attachmentIdByteCount) } == true
        }
    }

    private mutating func read(
        _ name: String, isRequired: Bool, _ rule: String, _ isGood: (JSONValue) -> Bool
    ) {
        known.append(name)
        guard let value = object[name] else {
            if isRequired, found == nil { found = ".\(name) is required" }
            return
        }
        guard isGood(value) else {
            let got = value.string == nil ? ", got \(value.kind)" : ""
            if found == nil { found = ".\(name) \(rule)\(got)" }
            return
        }
        fields[name] = value
    }
}
