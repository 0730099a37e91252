public import ProtoWire

/// A chat object of a space as a ``SpaceDirectory`` has it.
public struct DirectoryChat: Hashable, Sendable {
    /// The chat object's id.
    public var id: String
    /// The chat's name, empty when it has none.
    public var name: WireString
    /// The chat's own notify mode, which goes before the space's; `nil` when it is not set or not a mode.
    public var notifyMode: NotifyMode?

    /// A chat; see the properties.
    public init(id: String, name: WireString = "", notifyMode: NotifyMode? = nil) {
        self.id = id
        self.name = name
        self.notifyMode = notifyMode
    }
}
