import FoundationEssentials
import PushCrypto

/// Some of the account's own settings of a space as they travel in its export: sealed with a key that follows from the
/// account key, so that they are for the account's own devices alone, and nobody else can make them.
///
/// Sealed is the JSON `{"space": id, "settings": [{"chat"?: id, "key": …, "time": …, "tie": base64, "value"?: scalar}]}`.
struct OwnSettings: Hashable, Sendable {
    let spaceId: String
    let registers: [SettingRegister]

    /// About how many bytes of settings travel in one line.
    private static let lineByteCount = 24 * 1024
    private static let limits = JSONLimits(depth: 4, values: 65_536)

    /// Why what was opened makes no sense; only the account itself can have made it.
    struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        let description: String
    }

    init(spaceId: String, _ registers: [SettingRegister]) {
        self.spaceId = spaceId
        self.registers = registers
    }

    /// The lines' contents for all settings of a space.
    static func sealed(_ registers: [SettingRegister], of spaceId: String, by key: SymmetricKey) throws -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var part: [SettingRegister] = []
        var byteCount = 0
        for register in registers {
            part.append(register)
            byteCount += JSONWriter.bytes(.object(register.json)).count
            guard byteCount >= lineByteCount else { continue }
            lines.append(try OwnSettings(spaceId: spaceId, part).sealed(by: key))
            (part, byteCount) = ([], 0)
        }
        if !part.isEmpty { lines.append(try OwnSettings(spaceId: spaceId, part).sealed(by: key)) }
        return lines
    }

    private func sealed(by key: SymmetricKey) throws -> [UInt8] {
        try key.seal(
            JSONWriter.bytes([
                "space": .string(spaceId), "settings": .array(registers.map { .object($0.json) }),
            ]))
    }

    /// Opens a line's content.
    ///
    /// - Returns: `nil` for what another account has sealed.
    /// - Throws: ``Fault``.
    init?(opening sealed: [UInt8], with key: SymmetricKey, expecting spaceId: String) throws(Fault) {
        guard let bytes = try? key.open(sealed) else { return nil }
        guard
            let json = (try? JSONParser.parse(bytes, limits: Self.limits))?.object,
            let entries = json.array("settings")
        else { throw Fault(description: "the settings are not what they should be") }
        guard json.string("space") == spaceId else { throw Fault(description: "the settings are another space's") }
        var registers: [SettingRegister] = []
        for entry in entries {
            guard let register = entry.object.flatMap(SettingRegister.init) else {
                throw Fault(description: "a setting is not what it should be")
            }
            registers.append(register)
        }
        self.init(spaceId: spaceId, registers)
    }
}

extension SettingRegister {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        if let chat { json["chat"] = .string(chat) }
        json["key"] = .string(key)
        json["time"] = .integer(time)
        json["tie"] = .string(Data(tie).base64EncodedString())
        json["value"] = value?.json
        return json
    }

    fileprivate init?(_ json: JSONObject) {
        guard
            let key = json.string("key"), !key.isEmpty, !key.utf8.contains(UInt8(ascii: ".")),
            let time = json.integer("time"), (0...Int(Self.latestTime)).contains(time),
            let text = json.string("tie"), let tie = text.isEmpty ? [] : Base64.decode(text),
            tie.count == (time == 0 ? 0 : Self.tieByteCount)
        else { return nil }
        let chat = json.string("chat")
        var value: SettingValue?
        if let field = json["value"] {
            value = SettingValue(field)
            guard value != nil else { return nil }
        }
        if let chat {
            guard (1...SignedChange.maximumSpaceIdByteCount).contains(chat.utf8.count) else { return nil }
            guard key == SettingsPatch.notifyModeKey else { return nil }
        }
        self.init(chat: chat, key: key, time: Int64(time), tie: tie, value: value)
    }
}
