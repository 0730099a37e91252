/// A change of a space's settings (any-api.md, "Settings and notifyMode").
struct SettingsPatch: Sendable {
    /// The setting that says what to notify of.
    static let notifyModeKey = "notifyMode"

    private let set: [(key: String, value: SettingValue)]
    private let unset: [String]

    /// Checks a patch. The first rule that it breaks, in the order of the entries, is the error.
    ///
    /// - Parameters:
    ///   - set: what is set. A value may be any JSON: whether it is a scalar is checked here.
    ///   - unset: what is taken away; what is not there is not missed.
    /// - Throws: ``SpaceError/noSettings`` or ``SpaceError/invalidSetting(key:_:)``.
    init(set: JSONObject, unset: [String]) throws(SpaceError) {
        guard !set.isEmpty || !unset.isEmpty else { throw .noSettings }
        var values: [(String, SettingValue)] = []
        for field in set.fields {
            try Self.check(field.name)
            guard let value = SettingValue(field.value) else { throw .invalidSetting(key: field.name, .notScalar) }
            values.append((field.name, value))
        }
        for key in unset {
            try Self.check(key)
            guard set[key] == nil else { throw .invalidSetting(key: key, .inBoth) }
        }
        self.set = values
        self.unset = unset
    }

    private static func check(_ key: String) throws(SpaceError) {
        guard !key.isEmpty else { throw .invalidSetting(key: key, .emptyKey) }
        guard !key.utf8.contains(UInt8(ascii: ".")) else { throw .invalidSetting(key: key, .dotInKey) }
    }

    /// What is written of each setting that it names; `nil` for one that is taken away.
    var writes: [(key: String, value: SettingValue?)] {
        unset.map { ($0, nil) } + self.set.map { ($0.key, $0.value) }
    }

    /// Whether it says anything about what to notify of.
    var touchesNotifyMode: Bool {
        self.set.contains { $0.key == Self.notifyModeKey } || unset.contains(Self.notifyModeKey)
    }

    /// Changes settings.
    func apply(to settings: inout [String: SettingValue]) {
        for key in unset { settings[key] = nil }
        for (key, value) in set { settings[key] = value }
    }
}

/// How settings are stored: a JSON object with its keys in order.
enum SpaceSettings {
    /// The most bytes that a space's settings may take.
    static let maximumByteCount = 256 * 1024
    // More entries than these bytes can hold.
    private static let limits = JSONLimits(depth: 2, values: maximumByteCount)

    static func encode(_ settings: [String: SettingValue]) -> [UInt8] {
        let sorted = settings.sorted { $0.key < $1.key }
        return JSONWriter.bytes(.object(JSONObject(sorted.map { ($0.key, $0.value.json) })))
    }

    /// - Returns: `nil` when the bytes are damaged.
    static func decode(_ bytes: [UInt8]) -> [String: SettingValue]? {
        guard let object = (try? JSONParser.parse(bytes, limits: limits))?.object else { return nil }
        var settings: [String: SettingValue] = [:]
        for field in object.fields {
            guard let value = SettingValue(field.value) else { return nil }
            settings[field.name] = value
        }
        return settings
    }
}
