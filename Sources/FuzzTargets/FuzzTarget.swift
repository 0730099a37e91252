import AnyServer

/// An input that strangers can send, with the code that must stand it.
public struct FuzzTarget: Sendable {
    /// The name on the command line.
    public let name: String
    /// Takes any bytes; a wrong result traps, which the fuzzer reports.
    public let run: @Sendable ([UInt8]) -> Void
    /// Where its seeds are in the golden vectors.
    let seeds: [SeedSource]
    /// Makes seeds that no vector holds.
    let madeSeeds: @Sendable () -> [[UInt8]]

    init(
        name: String, run: @escaping @Sendable ([UInt8]) -> Void, seeds: [SeedSource] = [],
        madeSeeds: @escaping @Sendable () -> [[UInt8]] = { [] }
    ) {
        self.name = name
        self.run = run
        self.seeds = seeds
        self.madeSeeds = madeSeeds
    }

    /// Every target, in the order of their names.
    public static let all: [FuzzTarget] = [
        FuzzTarget(
            name: "acl", run: fuzzACLReplay,
            seeds: [SeedSource(file: "acl", fields: ["rawRecordWithId"], list: "records", join: ACLFuzzLog.joined)]
        ),
        FuzzTarget(
            name: "certificate", run: fuzzCertificate, seeds: [SeedSource(file: "libp2p_tls", fields: ["certificate"])]
        ),
        FuzzTarget(name: "change", run: fuzzChange, madeSeeds: ImportRehearsal.honestChanges),
        FuzzTarget(
            name: "data-map", run: fuzzDataMap,
            seeds: [
                SeedSource(file: "receiver", fields: ["plaintext"]),
                SeedSource(file: "payload", fields: ["outputHex"]),
            ]
        ),
        FuzzTarget(
            name: "drpc", run: fuzzDRPC, seeds: [SeedSource(file: "drpc", fields: ["bytes"])]
        ),
        FuzzTarget(
            name: "handshake", run: fuzzHandshake, seeds: [SeedSource(file: "handshake", fields: ["bytes"])]
        ),
        FuzzTarget(name: "import", run: fuzzImport, madeSeeds: { ImportRehearsal.honestLines().map { [$0] } ?? [] }),
        FuzzTarget(
            name: "payload", run: fuzzPayload,
            seeds: [
                SeedSource(file: "payload", fields: ["outputHex", "outputGo127Hex"]),
                SeedSource(file: "receiver", fields: ["plaintext"]),
            ]
        ),
        FuzzTarget(
            name: "proto", run: fuzzProto,
            seeds: [
                SeedSource(file: "handshake", fields: ["payload"]),
                SeedSource(file: "notify_request", fields: ["bytes"]),
            ]
        ),
        FuzzTarget(name: "quic-datagram", run: fuzzQUICDatagram, madeSeeds: QUICSeeds.datagrams),
        FuzzTarget(name: "quic-session", run: fuzzQUICSession, madeSeeds: QUICSeeds.scripts),
        // Version, the newest, a signer, an entry with every field.
        FuzzTarget(
            name: "shelf", run: fuzzShelf,
            madeSeeds: {
                [
                    [8, 1, 16, 9, 26, 2, 1, 2]
                        + [34, 21, 10, 1, 105, 18, 1, 103, 26, 1, 7, 34, 1, 5, 40, 9, 50, 1, 3, 56, 1, 72, 0]
                ]
            }
        ),
        FuzzTarget(
            name: "snappy", run: fuzzSnappy,
            seeds: [SeedSource(file: "drpc", fields: ["compressed", "literalOnly", "raw"])]
        ),
        FuzzTarget(
            name: "text-encodings", run: fuzzTextEncodings,
            seeds: [
                SeedSource(file: "identity", fields: ["account", "network", "peerId", "public"]),
                SeedSource(file: "mnemonic", fields: ["mnemonic", "identityPath"]),
                SeedSource(file: "slip21", fields: ["path"]),
            ]
        ),
        FuzzTarget(
            name: "yamux", run: fuzzYamux, seeds: [SeedSource(file: "yamux", fields: ["bytes"])]
        ),
    ]
}

/// Fields of a vector file whose hex strings are inputs of a target.
struct SeedSource: Sendable {
    let file: String
    let fields: Set<String>
    /// The name of the arrays whose fields make one input together; without it, each field is an input.
    let list: String?
    /// Puts the fields of an array together.
    let join: @Sendable ([[UInt8]]) -> [UInt8]

    init(
        file: String, fields: Set<String>, list: String? = nil,
        join: @escaping @Sendable ([[UInt8]]) -> [UInt8] = { Array($0.joined()) }
    ) {
        self.file = file
        self.fields = fields
        self.list = list
        self.join = join
    }
}
