import AnyServer
import AnySyncNet
import AnySyncQUIC
<<<<<<< HEAD
import PushCrypto
=======
import Dispatch
import Glibc
>>>>>>> secrets
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

<<<<<<< HEAD
            SIGINT or SIGTERM ends it in order: what can be delivered leaves within the time of --drain, the rest stays for
            the next start. Whatever hangs, it has ended 5 seconds after that time (15 seconds by default), then with status
            2; a second signal ends it at once. SIGHUP has it open the spool again, as after a rotation; when its terminal
            closes, it ends in order. Nothing waits for its output: lines that nobody reads are dropped, and counted.
=======
            A directory that was in use and lacks its store or its keys is refused: restore them from a backup. Whoever has
            lost the store for good runs touch DIR/start-anew, and the node begins with an empty one; accounts register with
            it by themselves.

            No core dump is made of a node, for it would hold its keys, unless the variable ANY_ALLOW_CORE_DUMPS is set.
>>>>>>> secrets

            An address without a scheme takes encrypted connections only (tls+yamux). Anytype's own clients speak yamux that is
            not encrypted: yamux:// written out admits them too, beside tls+yamux on the same port. A quic:// address is only
            for who asks for it: the system's QUIC library is old, and ends the process when an assertion of its own fails.
            Never let it be a node's only address.

            Limits, each with its default: \(limitList).
            """,
        options: [directory, listen, title, drain, limit], run: run
    )

    private static let directory = Command.Option(
        name: "data-dir", value: "dir", help: "Where the node keeps its keys, its store and its spool.", isRequired: true,
        completion: .directories)
    private static let listen = Command.Option(
        name: "listen", value: "address", help: "What to bind. Default: 127.0.0.1:4430.", isRepeated: true)
    private static let title = Command.Option(
        name: "title", value: "text", help: "What a phone shows when it can not open a notification.")

    private static let drain = Command.Option(
        name: "drain", value: "duration", help: "How long deliveries may go on at the end, at most 1h. Default: 10s.")
    private static let limit = Command.Option(
        name: "limit", value: "name=value", help: "Set a limit; see above for their names.", isRepeated: true,
        completion: .words(NodeLimit.all.map { $0.name + "=" }))

    private static var limitList: String {
        NodeLimit.all.map { "\($0.name)=\($0.defaultText) (\($0.help))" }.joined(separator: ", ")
    }

    private static let defaultAddress = "127.0.0.1:4430"
    // The last deliveries' cancelling, the store's closing and the last lines, with room to spare.
    private static let timeAfterDrain = Duration.seconds(5)

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
        let drainTime = try drainTime(values)
        let foreground = Foreground("the node", limit: drainTime + timeAfterDrain)
        let code: ExitCode
        do {
<<<<<<< HEAD
            // Before anything in it is looked at, and until nothing of the node is left.
            let folder = try NodeFolder(directory)
            try await serve(folder, addresses, limits, title: values.option(title), drain: drainTime, foreground)
            code = .success
            withExtendedLifetime(folder) {}
=======
            let files = try NodeFiles(in: directory)
            node = try await start(files, addresses, limits, title: values.option(title))
            Console.out("PEER \(files.identity.peerId)")
>>>>>>> secrets
        } catch {
            foreground.error("\(error)")
            code = .environment
        }
        await foreground.finish()
        return code
    }

    private static func drainTime(_ values: Values) throws(CommandFailure) -> Duration {
        let text = values.option(drain) ?? "10s"
        guard let time = DurationText.parse(text), time >= .zero, time <= .seconds(3600) else {
            throw CommandFailure("option --drain: \"\(text)\" is no duration, such as 10s or 2m, of at most 1h")
        }
        return time
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

<<<<<<< HEAD
    private static func serve(
        _ folder: NodeFolder, _ addresses: [Address], _ limits: NodeLimits, title: String?, drain: Duration,
        _ foreground: Foreground
    ) async throws {
        let identity = try NodeKeys.load(from: folder.path)
        let onEvent: @Sendable (NodeEvent) -> Void = { event in
            if event.isError { foreground.error("\(event)") }
        }
        var texts = DefaultTexts()
        if let title { texts.title = title }
        let spoolDirectory = folder.path + "/spool"
        try Folder.create(spoolDirectory)
        let spool = try SpoolForwarder(directory: spoolDirectory, texts: texts, report: onEvent)
        var configuration = NodeConfiguration(
            storePath: folder.path + "/node.db", forwarders: [.ios: spool, .android: spool]
=======
    private static func start(
        _ files: NodeFiles, _ addresses: [Address], _ limits: NodeLimits, title: String?
    ) async throws -> PushNodeServer {
        var texts = DefaultTexts()
        if let title { texts.title = title }
        try Folder.create(files.spoolPath)
        try Folder.requireTrusted(files.spoolPath)
        let spool = try SpoolForwarder(directory: files.spoolPath, texts: texts) { Console.error("\($0)") }
        var configuration = NodeConfiguration(
            storePath: files.storePath, forwarders: [.ios: spool, .android: spool]
>>>>>>> secrets
        )
        configuration.storeExpectation = files.storeExpectation
        configuration.texts = texts
        configuration.serviceLimits = limits.service
        configuration.storeLimits = limits.store
        configuration.laneLimits = limits.lanes
<<<<<<< HEAD
        configuration.onEvent = onEvent
        var listen = ListenConfiguration(identity: identity, addresses: addresses)
=======
        configuration.onEvent = { event in
            if event.isError { Console.error("\(event)") }
        }
        var listen = ListenConfiguration(identity: files.identity, addresses: addresses)
>>>>>>> secrets
        listen.netLimits = limits.net
        listen.rpcLimits = limits.rpc
        listen.transports = { [TCPTransport($0), try QUICTransport($0)] }
        let node = try await PushNodeServer.start(configuration, listen)
<<<<<<< HEAD
        foreground.out("PEER \(identity.peerId)")
        // As clients write it: without a scheme they try every kind, encrypted ones first.
        for address in node.addresses {
            foreground.out("LISTENING \(address.kind == .yamux ? address.hostAndPort : address.description)")
        }
        for address in addresses where address.kind == nil {
            foreground.note(
                "\(address) takes encrypted connections only; --listen yamux://\(address) admits Anytype's own clients too")
        }
        await foreground.waitForEnd {
            spool.reopen()
            foreground.note("any: the spool is opened again; what the command line says stays as it was")
        }
        await node.stop(drain: drain)
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
=======
        do {
            try files.complete()
        } catch {
            await node.stop(drain: .zero)
            throw error
        }
        return node
>>>>>>> secrets
    }
}
