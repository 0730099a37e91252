/// Something in a ``SpaceDirectory`` has changed. It says what is worth reading anew, not what the change was.
public enum DirectoryChange: Hashable, Sendable {
    /// A space's row came, went or changed: its status, role, name or notify mode, or its ACL has more records.
    case space(String)
    /// A chat of the space came, went or changed its name or notify mode.
    case chats(of: String)
}
