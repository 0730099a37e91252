/// Whether the file of a store may be missing when it is opened.
public enum StoreExpectation: Hashable, Sendable {
    /// Where there is none, an empty store is made.
    case mayBeNew
    /// The store was in use before: a file that is missing or empty was lost, and nothing is made in its place. `remedy` ends
    /// the sentence that says so: how to begin anew on purpose.
    case exists(remedy: String)
}
