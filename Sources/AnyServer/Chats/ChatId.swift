import PushCrypto

/// The ids of chat objects.
enum ChatId {
    // Keeps the id apart from the hash of anything else.
    private static let generalDomain = "any.chat.general.v1:"

    /// The id of a space's general chat, which every member computes alike: the ``CID`` of a domain and the space's id.
    /// Every other chat has the id of the change that made it.
    static func general(of spaceId: String) -> String {
        CID(of: Array((generalDomain + spaceId).utf8)).text
    }
}
