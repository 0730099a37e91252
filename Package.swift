// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Settings of every target of ours: Swift 6 mode with every warning an error.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func library(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: settings)
}

func system(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

var targets: [Target] = [
    // One module map and the thinnest shim per C library.
    system("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
    system("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    system("CUV", pkgConfig: "libuv", apt: "libuv1-dev"),
    system("CSnappy", pkgConfig: "snappy", apt: "libsnappy-dev"),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    system("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
    system("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
    // Reads request bodies: of Debian's JSON libraries the one that refuses duplicate keys and invalid UTF-8 by itself.
    system("CJansson", pkgConfig: "jansson", apt: "libjansson-dev"),
    system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),

    // The C library's allocator, whose own module leaves it out: what is free is given back after a peak of memory.
    .systemLibrary(name: "CMalloc"),
    // What the C library's own module leaves out about processes: descriptors, by which `any stop` signals, and `prctl`.
    .systemLibrary(name: "CProcess"),

    // Every call of ngtcp2 and GnuTLS: another version of the library is a change of this target alone.
    .target(
        name: "CQUIC",
        linkerSettings: [
            .linkedLibrary("ngtcp2"), .linkedLibrary("ngtcp2_crypto_gnutls"), .linkedLibrary("gnutls"),
        ]
    ),

    // Filters' regular expressions. RE2 is C++, so this is the one target of ours that is.
    .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2")]),

    // The one lock for state that threads share.
    library("Locks", []),
    library("ProtoWire", []),
    library("PushCrypto", ["Locks", "ProtoWire", "CSodium", "COpenSSL"]),
    library("AnySyncWire", ["PushCrypto", "ProtoWire", "CSnappy"]),
    library("AnySyncNet", ["CMalloc", "Locks", "AnySyncWire", "PushCrypto", "ProtoWire", "CUV", "COpenSSL"]),
    // A transport of its own module, so that a host without QUIC links neither ngtcp2 nor GnuTLS.
    library("AnySyncQUIC", ["Locks", "AnySyncNet", "AnySyncWire", "PushCrypto", "CQUIC", "CUV"]),
    // The push node's calls and their messages, which both ends speak.
    library("PushAPI", ["PushCrypto", "ProtoWire"]),
    // The sender's side.
    library("PushNode", ["Locks", "PushAPI", "AnySyncNet", "AnySyncWire", "PushCrypto", "ProtoWire"]),
    // The machine's time, which goes on over restarts of a process and is not set.
    library("MachineTime", []),
    // One SQLite file: opened, checked and migrated, and the executor that blocks on it.
    library("SQLiteStorage", ["CSQLite", "SecretFiles"]),
    library(
        "PushNodeServer",
        [
            "Locks", "MachineTime", "SQLiteStorage", "SecretFiles", "PushAPI", "AnySyncNet", "AnySyncWire",
            "PushCrypto", "ProtoWire",
        ]
    ),
    // The one way to keep a secret in a file.
    library("SecretFiles", []),
    // Lines to logs, terminals and pipes, which never wait for those.
    library("LineOutput", ["Locks", "SecretFiles"]),
    library("PushReceiver", ["PushCrypto", "ProtoWire", "SecretFiles"]),

    // The embedded `any` server: accounts, spaces, chats, settings, configuration and the HTTP API.
    library(
        "AnyServer",
        [
            "Locks", "MachineTime", "SQLiteStorage", "PushAPI", "PushNode", "PushReceiver", "AnySyncNet", "AnySyncWire",
            "PushCrypto",
            "ProtoWire", "SecretFiles", "LineOutput", "CSodium", "CMicroHTTPD", "CJansson", "CYAML", "CRE2",
        ]
    ),

    // The same server for programs in C; anyserver.h is the header.
    .systemLibrary(name: "CAnyServer"),
    library(
        "AnyServerLibrary",
        [
            "AnyServer", "CAnyServer", "Locks", .target(name: "AnySyncNet", condition: .when(traits: ["QUIC"])),
            .target(name: "AnySyncQUIC", condition: .when(traits: ["QUIC"])),
        ]
    ),

    // Replays golden vector files; shared by the tests and `any vectors replay`.
    library(
        "VectorReplay",
        [
            "ProtoWire", "PushCrypto", "AnySyncWire", "AnySyncNet", "PushAPI", "PushNode", "PushNodeServer",
            "PushReceiver",
        ]
    ),
    // What the fuzzers drive: one function per hostile input.
    library(
        "FuzzTargets",
        [
            "AnyServer", "VectorReplay", "ProtoWire", "PushCrypto", "AnySyncWire", "AnySyncNet", "AnySyncQUIC",
            "PushAPI", "PushNode", "PushReceiver",
        ]),

    tool(
        "AnyCLI",
        [
            "AnyServer", "VectorReplay", "PushAPI", "PushNode", "PushNodeServer", "PushReceiver", "AnySyncNet",
            "AnySyncQUIC",
            "AnySyncWire", "PushCrypto",
            "ProtoWire", "SQLiteStorage", "SecretFiles", "LineOutput", "Locks", "CCurl", "CProcess",
        ]
    ),
    tool(
        "PushBench",
        [
            "CMalloc", "LineOutput", "PushAPI", "PushNode", "PushNodeServer", "AnySyncNet", "AnySyncQUIC",
            "AnySyncWire",
            "PushCrypto", "ProtoWire", "CSodium", "COpenSSL",
        ]),
    // No product of the package's: scripts/attack runs it.
    tool(
        "PushAttack",
        ["Locks", "PushAPI", "PushNode", "AnySyncNet", "AnySyncQUIC", "AnySyncWire", "PushCrypto", "ProtoWire"]),

    // Keeps the tests, and what they start, on this machine, whatever their libraries are told.
    .target(name: "CLoopbackOnly", path: "Tests/CLoopbackOnly"),
    // What a test makes of a machine: disks that are full or hang, terminals that close.
    .target(name: "CTestMachine", path: "Tests/CTestMachine"),
    .target(
        name: "TestSupport",
        dependencies: [
            "CLoopbackOnly", "CTestMachine", "AnySyncNet", "AnySyncQUIC", "PushCrypto", "VectorReplay", "Locks",
        ],
        path: "Tests/TestSupport", exclude: ["network.yml"], swiftSettings: settings),
    // Reads the golden files of the contract, and holds what came against them.
    .target(
        name: "ContractSupport", dependencies: ["AnyServer"], path: "Tests/ContractSupport", swiftSettings: settings),
    tests("ProtoWireTests", ["ProtoWire"]),
    tests("PushCryptoTests", ["PushCrypto", "ProtoWire"]),
    tests("AnySyncWireTests", ["AnySyncWire", "PushCrypto", "ProtoWire"]),
    tests(
        "AnySyncNetTests",
        ["CLoopbackOnly", "Locks", "AnySyncNet", "AnySyncWire", "PushCrypto", "ProtoWire", "COpenSSL"]),
    tests(
        "AnySyncQUICTests", ["Locks", "AnySyncQUIC", "CQUIC", "AnySyncNet", "AnySyncWire", "PushCrypto", "ProtoWire"]),
    tests(
        "PushNodeTests",
        [
            "Locks", "PushAPI", "PushNode", "PushNodeServer", "PushReceiver", "AnySyncNet", "AnySyncWire", "PushCrypto",
            "ProtoWire",
        ]),
    tests(
        "PushNodeServerTests",
        [
            "Locks", "SecretFiles", "SQLiteStorage", "PushNodeServer", "PushAPI", "PushNode", "AnySyncNet",
            "AnySyncWire",
            "PushCrypto", "ProtoWire",
        ]),
    tests("LocksTests", ["Locks"]),
    tests("LineOutputTests", ["Locks", "LineOutput", "SecretFiles"]),
    tests("SecretFilesTests", ["SecretFiles"]),
    tests("PushReceiverTests", ["Locks", "PushReceiver", "SecretFiles", "PushCrypto", "ProtoWire"]),
    tests(
        "AnyServerTests",
        [
            "ContractSupport", "Locks", "MachineTime", "SQLiteStorage", "AnyServer", "SecretFiles", "PushAPI",
            "PushNode",
            "PushNodeServer", "AnySyncNet", "PushCrypto", "ProtoWire", "CCurl",
        ]),
    tests("AnyServerLibraryTests", ["AnyServerLibrary"]),
    tests("VectorReplayTests", ["VectorReplay"]),
    tests("FuzzTargetsTests", ["FuzzTargets"]),
    tests("AnyCLITests", ["AnyServer", "ContractSupport", "VectorReplay"]),
]

// The libFuzzer executable links only under -sanitize=fuzzer (see scripts/fuzz).
if ProcessInfo.processInfo.environment["ANYPUSH_FUZZ"] != nil {
    targets += [.systemLibrary(name: "CFuzzer"), tool("Fuzz", ["FuzzTargets", "CFuzzer"])]
}

let package = Package(
    name: "AnyPush",
    products: [
        .library(name: "AnySyncQUIC", targets: ["AnySyncQUIC"]),
        .library(name: "PushCrypto", targets: ["PushCrypto"]),
        .library(name: "PushAPI", targets: ["PushAPI"]),
        .library(name: "PushNode", targets: ["PushNode"]),
        .library(name: "PushNodeServer", targets: ["PushNodeServer"]),
        .library(name: "PushReceiver", targets: ["PushReceiver"]),
        .library(name: "AnyServer", targets: ["AnyServer"]),
        .library(name: "anyserver", type: .dynamic, targets: ["AnyServerLibrary"]),
        // Of no use but to tests: what they start loads it.
        .library(name: "LoopbackOnly", type: .dynamic, targets: ["CLoopbackOnly"]),
        .executable(name: "any", targets: ["AnyCLI"]),
        .executable(name: "push-bench", targets: ["PushBench"]),
    ],
    traits: [
        .trait(
            name: "QUIC",
            description:
                "The C library dials push nodes over QUIC too, and links ngtcp2 and GnuTLS. Swift hosts choose by product."
        ),
        .default(enabledTraits: ["QUIC"]),
    ],
    targets: targets,
    cxxLanguageStandard: .cxx17
)
