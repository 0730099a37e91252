/// How a log's records are verified (protocol.md §2). Ids, author signatures and order always are.
public enum ACLVerification: Hashable, Sendable {
    /// Contents are trusted, as Anytype's clients do, since the network has judged them before it accepted the record.
    ///
    /// - Parameter networkKey: the key under which the network's acceptance is checked; `nil` to leave that out.
    case network(networkKey: PublicKey?)
    /// Who may do what is checked, and acceptance is not looked at: for logs without a network.
    case full
}
