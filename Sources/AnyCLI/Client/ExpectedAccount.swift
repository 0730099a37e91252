import Locks

/// The account that a command is about, when the server's address does not follow from it: whoever answers there is asked
/// once which account it runs, before it is told anything else.
final class ExpectedAccount: Sendable {
    private let accounts: [String]
    private let isChecked = SystemLock(false)

    /// - Parameter accounts: those that the server may run; not empty.
    init(_ accounts: [String]) {
        self.accounts = accounts
    }

    /// Whether the server is still to be asked. Says so once.
    func mustAsk() -> Bool {
        isChecked.withLock { isChecked in
            defer { isChecked = true }
            return !isChecked
        }
    }

    /// Refuses a server of another account. One that runs no account may be about to be given one.
    func check(_ answered: String, at address: ServerAddress) throws(CommandFailure) {
        guard !answered.isEmpty, !accounts.contains(answered) else { return }
        let whose = accounts.count == 1 ? accounts[0] : "any account of the data directory"
        throw CommandFailure(
            "the server at \(address) runs the account \(answered), and none runs \(whose)\n"
                + "start one with `any run`, or name a server with --addr", code: .unreachable)
    }
}
