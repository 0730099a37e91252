import AnyServer
import PushCrypto

/// A server that runs on an account's directory of this machine.
struct LocalServer {
    let directory: AccountDirectory
    let running: RunningServer

    /// Looks for one where the configuration of this user's commands has its account.
    ///
    /// - Throws: what is wrong with the configuration.
    static func find() throws(CommandFailure) -> LocalServer? {
        find(try configuration())
    }

    /// The configuration of commands that ask a server.
    static func configuration() throws(CommandFailure) -> ServerConfiguration {
        do throws(ConfigurationError) {
            return try ServerConfiguration.load(
                environment: Environment.all, workingDirectory: Environment.workingDirectory, isClient: true)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// Looks for one where the configuration has its account.
    static func find(_ configuration: ServerConfiguration) -> LocalServer? {
        for directory in directories(configuration) {
            // A directory that can not be looked at is none that this user runs a server on.
            guard let running = (try? RunningServer.find(in: directory)) ?? nil else { continue }
            return LocalServer(directory: directory, running: running)
        }
        return nil
    }

    private static func directories(_ configuration: ServerConfiguration) -> [AccountDirectory] {
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
}
