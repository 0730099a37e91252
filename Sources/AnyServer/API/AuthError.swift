/// Why an account is not started or stopped.
enum AuthError: APIErrorConvertible {
    /// The server stands alone: its owner's account runs as long as it does.
    case notManaged
    /// A fresh account was asked for while another runs.
    case alreadyAuthorized(accountId: String)
    /// Another account runs, and the request does not say that it makes room.
    case accountMismatch(running: String, wanted: String)
    /// There is no wallet of the account.
    case accountNotFound(accountId: String)
    /// Another server has the account's directory.
    case inUse(RunningServer)
    /// The account's wallet does not open.
    case wallet(WalletError)

    static let notManagedCode = ErrorCode("auth.not_managed", .forbidden)
    static let alreadyAuthorizedCode = ErrorCode("auth.already_authorized", .conflict)
    static let accountMismatchCode = ErrorCode("auth.account_mismatch", .conflict)
    static let accountNotFoundCode = ErrorCode("auth.account_not_found", .notFound)
    static let accountInUseCode = ErrorCode("auth.account_in_use", .conflict)
    static let badMnemonicCode = ErrorCode("auth.bad_mnemonic", .badRequest)
    static let mnemonicMismatchCode = ErrorCode("auth.mnemonic_mismatch", .conflict)
    static let passkeyRequiredCode = ErrorCode("auth.passkey_required", .badRequest)

    /// What `POST /v1/auth` may throw.
    static let authorizing = [
        notManagedCode, alreadyAuthorizedCode, accountMismatchCode, accountNotFoundCode, accountInUseCode,
        badMnemonicCode, mnemonicMismatchCode, passkeyRequiredCode,
    ]

    var apiError: APIError {
        switch self {
        case .notManaged:
            APIError(
                Self.notManagedCode,
                "the server stands alone and keeps its account; stop it and start it with the other one")
        case .alreadyAuthorized(let id):
            APIError(
                Self.alreadyAuthorizedCode, "an account runs on this server; no other is made in its place",
                details: ["accountId": .string(id)])
        case .accountMismatch(let running, let wanted):
            APIError(
                Self.accountMismatchCode, "another account runs on this server; say replace: true to change it",
                details: ["running": .string(running), "requested": .string(wanted)])
        case .accountNotFound(let id):
            APIError(
                Self.accountNotFoundCode, "there is no wallet of the account here; bring it back by its mnemonic",
                details: ["accountId": .string(id)])
        case .inUse(let server):
            APIError(
                Self.accountInUseCode, "the account is in use by \(server)",
                details: server.processId.map { ["pid": .integer(Int64($0))] })
        case .wallet(let error): Self.error(of: error)
        }
    }

    // Without the paths that a wallet's own errors name.
    private static func error(of error: WalletError) -> APIError {
        switch error {
        case .passkeyRequired:
            APIError(
                passkeyRequiredCode, "the account's wallet is encrypted; start the server with its passkey")
        case .wrongPasskey:
            APIError(passkeyRequiredCode, "the server's passkey does not open the account's wallet")
        case .notEncrypted:
            APIError(
                passkeyRequiredCode, "the account's wallet is not encrypted; start the server without a passkey")
        case .otherAccount, .alreadyExists:
            APIError(mnemonicMismatchCode, "the account's wallet here is not the one that was asked for")
        default: APIError(.internalError, "the account's wallet can not be used; see the server's log")
        }
    }
}
