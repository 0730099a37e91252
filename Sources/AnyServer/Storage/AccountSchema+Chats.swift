extension AccountSchema {
    /// The tables of chats.
    static let chats = ""
}
