/// An input that strangers can send, with the code that must stand it.
public struct FuzzTarget: Sendable {
    /// The name on the command line.
    public let name: String
    /// Takes any bytes; a wrong result traps, which the fuzzer reports.
    public let run: @Sendable ([UInt8]) -> Void
    /// Where its seeds are in the golden vectors.
    let seeds: [SeedSource]

    /// Every target, in the order of their names.
    public static let all: [FuzzTarget] = [
        FuzzTarget(
            name: "data-map", run: fuzzDataMap,
            seeds: [
                SeedSource(file: "receiver", fields: ["plaintext"]),
                SeedSource(file: "payload", fields: ["outputHex"]),
            ]
        ),
        FuzzTarget(
            name: "payload", run: fuzzPayload,
            seeds: [
                SeedSource(file: "payload", fields: ["outputHex", "outputGo127Hex"]),
                SeedSource(file: "receiver", fields: ["plaintext"]),
            ]
        ),
        FuzzTarget(
            name: "text-encodings", run: fuzzTextEncodings,
            seeds: [
                SeedSource(file: "identity", fields: ["account", "network", "peerId", "public"]),
                SeedSource(file: "mnemonic", fields: ["mnemonic", "identityPath"]),
                SeedSource(file: "slip21", fields: ["path"]),
            ]
        ),
    ]
}

/// Fields of a vector file whose hex strings are inputs of a target.
struct SeedSource: Sendable {
    let file: String
    let fields: Set<String>
}
