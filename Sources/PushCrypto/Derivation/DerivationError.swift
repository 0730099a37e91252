/// Why a key could not be derived.
public enum DerivationError: Error, Hashable, Sendable {
    /// The text is no derivation path of the expected form (protocol.md §1).
    case malformedPath(String)
    /// The index is 2^31 or more; Ed25519 knows hardened children only.
    case indexOutOfRange(String)
}
