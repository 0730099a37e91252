/// The read key of a space whose root carries none (protocol.md §2, "derived space").
enum DerivedSpaceKeys {
    private static let readKeyLabels = ["SLIP-0021", "anysync", "space"]

    static func readKey(of account: SigningKey) -> SymmetricKey {
        account.withRawBytes { SLIP21Node(seed: $0, labels: readKeyLabels).symmetricKey }
    }
}

extension SLIP21Node {
    /// The node under these labels of the master node of a seed.
    init(seed: some Collection<UInt8>, labels: [String]) {
        self = labels.reduce(SLIP21Node(seed: seed)) { $0.child($1) }
    }
}
