/// One setting: where it stands in the file, what else sets it, and what it may be.
struct Setting<Value: Sendable>: Sendable {
    /// Its place in the file, `push.peerId`.
    let key: String
    let kind: SettingKind<Value>
    /// What holds when nobody sets it.
    let standard: Value
    /// The environment variable that sets it.
    let variable: String?
    /// Whether this server does anything with it.
    let isUsed: Bool

    init(_ key: String, _ kind: SettingKind<Value>, standard: Value, variable: String? = nil, isUsed: Bool = true) {
        self.key = key
        self.kind = kind
        self.standard = standard
        self.variable = variable
        self.isUsed = isUsed
    }
}
