import AnyServer
import AnySyncNet
import AnySyncQUIC
import PushAPI
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

            SIGINT or SIGTERM ends it in order: what can be delivered leaves within the time of --drain, the rest stays for
            the next start. Whatever hangs, it has ended 5 seconds after that time (15 seconds by default), then with status
            2; a second signal ends it at once. SIGHUP has it open the spool again, as after a rotation; when its terminal
            closes, it ends in order. Nothing waits for its output: lines that nobody reads are dropped, and counted.

            A directory that was in use and lacks its store or its keys is refused: restore them from a backup. Whoever has
            lost the store for good runs touch DIR/start-anew, and the node begins with an empty one; accounts register with
            it by themselves.

            No core dump is made of a node, for it would hold its keys, unless the variable ANY_ALLOW_CORE_DUMPS is set.

            An address without a scheme takes encrypted connections only (tls+yamux). Anytype's own clients speak yamux that is
            not encrypted: yamux:// written out admits them too, beside tls+yamux on the same port. A quic:// address is only
            for who asks for it: the system's QUIC library is old, and ends the process when an assertion of its own fails.
            Never let it be a node's only address.

            Limits, each with its default: \(limitList).
            """,
        options: [directory, listen, title, drain, limit, version, acceptedVersions], run: run
    )

    private static let directory = Command.Option(
        name: "data-dir", value: "dir", help: "Where the node keeps its keys, its store and its spool.",
        isRequired: true,
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

    private static let version = Command.Option(
        name: "protocol-version", value: "number",
        help: "The protocol version to speak. Default: \(ProtocolVersions.standard.own).")
    private static let acceptedVersions = Command.Option(
        name: "accept-versions", value: "numbers",
        help:
            "The protocol versions that a peer may speak, such as 8,12,13. Default: \(list(ProtocolVersions.standard.accepted))."
    )

    private static func list(_ versions: [UInt32]) -> String {
        versions.map(String.init).joined(separator: ",")
    }

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
        let versions = try versions(values)
        Descriptors.raiseLimit()
        let foreground = Foreground("the node", limit: drainTime + timeAfterDrain)
        let code: ExitCode
        do {
            // Before anything in it is looked at, and until nothing of the node is left.
            let folder = try NodeFolder(directory)
            try await serve(
                folder, addresses, limits, versions, title: values.option(title), drain: drainTime, foreground)
            code = .success
            withExtendedLifetime(folder) {}
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

    private static func versions(_ values: Values) throws -> ProtocolVersions {
        func number(_ text: String, _ option: Command.Option) throws -> UInt32 {
            guard let number = UInt32(text) else {
                throw CommandFailure("option --\(option.name): \"\(text)\" is no protocol version; give a whole number")
            }
            return number
        }
        let own = try values.option(version).map { try number($0, version) }
        let accepted = try values.option(acceptedVersions).map { text in
            try text.split(separator: ",", omittingEmptySubsequences: false).map {
                try number(String($0), acceptedVersions)
            }
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

    private static func serve(
        _ folder: NodeFolder, _ addresses: [Address], _ limits: NodeLimits, _ versions: ProtocolVersions,
        title: String?,
        drain: Duration, _ foreground: Foreground
    ) async throws {
        let files = try NodeFiles(in: folder.path)
        let onEvent: @Sendable (NodeEvent) -> Void = { event in
            if event.isError { foreground.error("\(event)") }
        }
        var texts = DefaultTexts()
        if let title { texts.title = title }
        try Folder.create(files.spoolPath)
        try Folder.requireTrusted(files.spoolPath)
        let spool = try SpoolForwarder(directory: files.spoolPath, texts: texts, report: onEvent)
        var configuration = NodeConfiguration(
            storePath: files.storePath, forwarders: [.ios: spool, .android: spool]
        )
        configuration.storeExpectation = files.storeExpectation
        configuration.texts = texts
        configuration.serviceLimits = limits.service
        configuration.storeLimits = limits.store
        configuration.laneLimits = limits.lanes
        configuration.onEvent = onEvent
        var identity = files.identity
        identity.use(versions)
        var listen = ListenConfiguration(identity: identity, addresses: addresses)
        listen.netLimits = limits.net
        listen.rpcLimits = limits.rpc
        listen.transports = { [TCPTransport($0), try QUICTransport($0)] }
        let node = try await PushNodeServer.start(configuration, listen)
        do {
            try files.complete()
        } catch {
            await node.stop(drain: .zero)
            throw error
        }
        foreground.out("PEER \(files.identity.peerId)")
        // As clients write it: without a scheme they try every kind, encrypted ones first.
        for address in node.addresses {
            foreground.out("LISTENING \(address.kind == .yamux ? address.hostAndPort : address.description)")
        }
        for address in addresses where address.kind == nil {
            foreground.note(
                "\(address) takes encrypted connections only; --listen yamux://\(address) admits Anytype's own clients too"
            )
        }
        await foreground.waitForEnd {
            spool.reopen()
            foreground.note("any: the spool is opened again; what the command line says stays as it was")
        }
        await node.stop(drain: drain)
    }
}
