import PushCrypto

/// One of the account's own settings with the time of its last write: of two devices' writes the later one counts, on
/// both.
///
/// Times come from a hybrid clock (``SettingTable/tick(at:)``), which follows the calendar but never goes back, and is
/// ahead of every write that the device has seen. Two writes at the same time are told apart by random bytes, so also a
/// backup that was restored and runs beside the original, under the same device key, never makes two writes of one name.
struct SettingRegister: Hashable, Sendable {
    /// The chat, `nil` for a setting of the space itself.
    let chat: String?
    /// The setting's name; ``SettingsPatch/notifyModeKey`` is the only one of a chat.
    let key: String
    /// When it was written: milliseconds since 1970 in the upper 48 bits, a counter in the others. 0 for a write from
    /// before times were kept.
    let time: Int64
    /// Random, 8 bytes; empty where the time is 0.
    let tie: [UInt8]
    /// What was written; `nil` when it was taken away.
    let value: SettingValue?

    /// The latest time that is taken from another device, so that the clock can go on from it.
    static let latestTime = Int64.max / 2
    static let tieByteCount = 8

    /// Whether another write is the later one, which every device judges alike.
    func isBefore(_ other: SettingRegister) -> Bool {
        guard time == other.time else { return time < other.time }
        guard tie == other.tie else { return tie.lexicographicallyPrecedes(other.tie) }
        return valueBytes.lexicographicallyPrecedes(other.valueBytes)
    }

    private var valueBytes: [UInt8] { value.map { JSONWriter.bytes($0.json) } ?? [] }
}
