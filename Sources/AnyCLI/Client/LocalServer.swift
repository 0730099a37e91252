import AnyServer
import PushCrypto

/// A server that runs on an account's directory of this machine.
struct LocalServer: Equatable {
    let directory: AccountDirectory
    let running: RunningServer

    /// The configuration of commands that ask a server.
    static func configuration(
        _ flags: ConfigurationFlags = ConfigurationFlags()
    ) throws(CommandFailure) -> ServerConfiguration {
        let workingDirectory = try Environment.workingDirectory()
        do throws(ConfigurationError) {
            return try ServerConfiguration.load(
                flags: flags, environment: Environment.all, workingDirectory: workingDirectory, isClient: true)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// The server of the account that the configuration selects; when there are several accounts and none is selected, the
    /// one server that runs.
    ///
    /// - Throws: when several run.
    static func find(_ configuration: ServerConfiguration) throws(CommandFailure) -> LocalServer? {
        let selected = selected(configuration)
        guard selected.isEmpty else { return selected.lazy.compactMap(at).first }
        return try only(of: all(configuration), configuration)
    }

    /// The servers of every account in the data directory; of one account when the configuration names it.
    static func all(_ configuration: ServerConfiguration) -> [LocalServer] {
        var directories = selected(configuration)
        if configuration.account.value == nil {
            let root = DataRoot(path: configuration.dataDirectory.value)
            directories += (try? root.directories()) ?? []
        }
        var servers: [LocalServer] = []
        for directory in directories where !servers.contains(where: { $0.directory == directory }) {
            if let server = at(directory) { servers.append(server) }
        }
        return servers
    }

    /// The one of several.
    ///
    /// - Throws: when there are more.
    static func only(
        of servers: [LocalServer], _ configuration: ServerConfiguration
    ) throws(CommandFailure) -> LocalServer? {
        guard servers.count > 1 else { return servers.first }
        let names = servers.map { "\($0.accountId ?? $0.directory.path) (\($0.running.address ?? "starting"))" }
        throw CommandFailure(
            "several servers run on accounts in \(configuration.dataDirectory.value): "
                + "\(names.joined(separator: ", ")); choose one with --addr or ANY_ACCOUNT, for `any stop` with --account"
        )
    }

    /// The accounts that a command of this configuration is about; none when it is not known.
    static func expectedAccounts(_ configuration: ServerConfiguration) -> [String] {
        if let account = configuration.account.value { return [account] }
        let root = DataRoot(path: configuration.dataDirectory.value)
        do throws(DataRoot.SelectionError) {
            let selection = try root.select(walletPath: configuration.walletPath.value)
            return [selection.accountId].compactMap { $0 }
        } catch {
            guard case .severalAccounts(_, let ids) = error else { return [] }
            return ids
        }
    }

    /// The account, as far as its directory says which it is.
    var accountId: String? {
        let name = directory.path.split(separator: "/").last.map(String.init) ?? ""
        if (try? PublicKey(accountAddress: name)) != nil { return name }
        return (try? DataRoot(path: directory.path).accounts())?.first { $0.isDefault }?.id
    }

    // Where the account that the configuration selects is.
    private static func selected(_ configuration: ServerConfiguration) -> [AccountDirectory] {
        let root = DataRoot(path: configuration.dataDirectory.value)
        let account = configuration.account.value
        var directories: [AccountDirectory] = []
        if let account, let key = try? PublicKey(accountAddress: account) {
            // A managed account has no wallet to find it by.
            directories.append(root.directory(of: key))
        }
        if let selection = try? root.select(accountId: account, walletPath: configuration.walletPath.value) {
            directories.append(selection.directory)
        }
        return directories
    }

    private static func at(_ directory: AccountDirectory) -> LocalServer? {
        // A directory that can not be looked at is none that this user runs a server on.
        guard let running = (try? RunningServer.find(in: directory)) ?? nil else { return nil }
        return LocalServer(directory: directory, running: running)
    }
}
