import AnyServer
import AnySyncNet
import AnySyncQUIC
import Dispatch
import Glibc
import PushCrypto
import PushNode
import PushNodeServer
import SecretFiles

/// `any node`: a push node in the foreground.
enum NodeCommand {
    static let command = Command(
        name: "node", abstract: "Run a push node",
        discussion: """
            Keeps its keys, its store and its spool in one directory, which is made when it is missing. Prints one line
            LISTENING ADDRESS for each address and one line PEER ID, then serves until it is interrupted. Notifications are
            written to the spool, one line of JSON for each device: DIR/spool/notifications.ndjson.

            An address without a scheme takes encrypted connections only (tls+yamux). Anytype's own clients speak yamux that is
            not encrypted: yamux:// written out admits them too, beside tls+yamux on the same port. A quic:// address is only
            for who asks for it: the system's QUIC library is old, and ends the process when an assertion of its own fails.
            Never let it be a node's only address.

            Limits, each with its default: \(limitList).
            """,
        options: [directory, listen, title, limit, version, acceptedVersions], run: run
    )

    private static let directory = Command.Option(
        name: "data-dir", value: "dir", help: "Where the node keeps its keys, its store and its spool.", isRequired: true,
        completion: .directories)
    private static let listen = Command.Option(
        name: "listen", value: "address", help: "What to bind. Default: 127.0.0.1:4430.", isRepeated: true)
    private static let title = Command.Option(
        name: "title", value: "text", help: "What a phone shows when it can not open a notification.")

    private static let limit = Command.Option(
        name: "limit", value: "name=value", help: "Set a limit; see above for their names.", isRepeated: true,
        completion: .words(NodeLimit.all.map { $0.name + "=" }))

    private static let version = Command.Option(
        name: "protocol-version", value: "number",
        help: "The protocol version to speak. Default: \(ProtocolVersions.standard.own).")
    private static let acceptedVersions = Command.Option(
        name: "accept-versions", value: "numbers",
        help: "The protocol versions that a peer may speak, such as 8,12,13. Default: \(list(ProtocolVersions.standard.accepted)).")

    private static func list(_ versions: [UInt32]) -> String {
        versions.map(String.init).joined(separator: ",")
    }

    private static var limitList: String {
        NodeLimit.all.map { "\($0.name)=\($0.defaultText) (\($0.help))" }.joined(separator: ", ")
    }

    private static let defaultAddress = "127.0.0.1:4430"
    private static let drain = Duration.seconds(10)

    private static func run(_ values: Values) async throws -> ExitCode {
        guard let directory = values.option(directory), !directory.isEmpty else {
            throw CommandFailure("option --data-dir is empty; name the directory that the node keeps its files in")
        }
        var addresses: [Address] = []
        let texts = values.all(listen)
        for text in texts.isEmpty ? [defaultAddress] : texts {
            do { addresses.append(try Address(text)) } catch { throw CommandFailure("\(error)") }
        }
        let limits = try limits(values.all(limit))
        let versions = try versions(values)
        Descriptors.raiseLimit()
        let interrupt = Interrupt()
        let node: PushNodeServer
        do {
            var identity = try NodeKeys.load(from: directory)
            identity.use(versions)
            node = try await start(directory, identity, addresses, limits, title: values.option(title))
            Console.out("PEER \(identity.peerId)")
        } catch {
            Console.error("\(error)")
            return .environment
        }
        // As clients write it: without a scheme they try every kind, encrypted ones first.
        for address in node.addresses {
            Console.out("LISTENING \(address.kind == .yamux ? address.hostAndPort : address.description)")
        }
        for address in addresses where address.kind == nil {
            Console.note(
                "\(address) takes encrypted connections only; --listen yamux://\(address) admits Anytype's own clients too")
        }
        await interrupt.wait()
        await node.stop(drain: drain)
        return .success
    }

    private static func versions(_ values: Values) throws -> ProtocolVersions {
        func number(_ text: String, _ option: Command.Option) throws -> UInt32 {
            guard let number = UInt32(text) else {
                throw CommandFailure("option --\(option.name): \"\(text)\" is no protocol version; give a whole number")
            }
            return number
        }
        let own = try values.option(version).map { try number($0, version) }
        let accepted = try values.option(acceptedVersions).map { text in
            try text.split(separator: ",", omittingEmptySubsequences: false).map { try number(String($0), acceptedVersions) }
        }
        do throws(ProtocolVersionError) {
            return try ProtocolVersions(own: own, accepted: accepted)
        } catch {
            throw CommandFailure("options --protocol-version and --accept-versions: \(error)")
        }
    }

    private static func limits(_ assignments: [String]) throws -> NodeLimits {
        var limits = NodeLimits()
        for assignment in assignments {
            do throws(NodeLimitError) {
                try limits.set(assignment)
            } catch {
                var message = "\(error)"
                if case .unknown(let name) = error {
                    let nearest = Spelling.nearest(to: name, among: NodeLimit.all.map(\.name))
                    message += nearest.map { "; did you mean \($0)?" } ?? "; 'any help node' lists them"
                }
                throw CommandFailure("option --limit: \(message)")
            }
        }
        return limits
    }

    private static func start(
        _ directory: String, _ identity: LocalIdentity, _ addresses: [Address], _ limits: NodeLimits, title: String?
    ) async throws -> PushNodeServer {
        var texts = DefaultTexts()
        if let title { texts.title = title }
        let spoolDirectory = directory + "/spool"
        try Folder.create(spoolDirectory)
        let spool = try SpoolForwarder(directory: spoolDirectory, texts: texts) { Console.error("\($0)") }
        var configuration = NodeConfiguration(
            storePath: directory + "/node.db", forwarders: [.ios: spool, .android: spool]
        )
        configuration.texts = texts
        configuration.serviceLimits = limits.service
        configuration.laneLimits = limits.lanes
        configuration.onEvent = { event in
            if event.isError { Console.error("\(event)") }
        }
        var listen = ListenConfiguration(identity: identity, addresses: addresses)
        listen.netLimits = limits.net
        listen.rpcLimits = limits.rpc
        listen.transports = { [TCPTransport($0), try QUICTransport($0)] }
        return try await PushNodeServer.start(configuration, listen)
    }
}

/// A node's own keys, kept in its directory.
private enum NodeKeys {
    private static let fileName = "/node.key"
    // Two marshalled keys of 68 bytes in hex, and a newline after each.
    private static let maximumByteCount = 512

    /// Why a node's keys can not be used.
    enum Failure: Error, CustomStringConvertible {
        case damaged(path: String)

        var description: String {
            switch self {
            case .damaged(let path):
                "\(path) is damaged: restore it from a backup, or move it away to start with new keys, "
                    + "which makes this another node to its clients"
            }
        }
    }

    /// Reads the keys, or makes them when there are none.
    static func load(from directory: String) throws -> LocalIdentity {
        try Folder.create(directory)
        let file = SecretFile(path: directory + fileName)
        if let content = try file.read(limit: maximumByteCount) {
            let keys = String(decoding: content, as: UTF8.self).split(separator: "\n").map(key)
            guard keys.count == 2, let account = keys[0], let peer = keys[1] else {
                throw Failure.damaged(path: file.path)
            }
            return identity(account, peer)
        }
        let account = SigningKey()
        let peer = SigningKey()
        try file.create(Array("\(text(account))\n\(text(peer))\n".utf8))
        return identity(account, peer)
    }

    private static func identity(_ account: SigningKey, _ peer: SigningKey) -> LocalIdentity {
        LocalIdentity(account: account, peer: peer)
    }

    private static func text(_ key: SigningKey) -> String {
        Hexadecimal.encode(key.marshalled())
    }

    private static func key(_ text: Substring) -> SigningKey? {
        Hexadecimal.decode(String(text)).flatMap { try? SigningKey(marshalled: $0) }
    }
}
