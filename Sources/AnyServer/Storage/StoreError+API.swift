import SQLiteStorage

// The file's path is for the log, not for clients.
extension StoreError: APIErrorConvertible {
    var apiError: APIError {
        switch self {
        case .closed: APIError(.unavailable, "the account is being stopped")
        case .full: APIError(.internalError, "no space is left for the account's data; free some on the server's disk")
        case .moved:
            APIError(
                .internalError, "the account's data was removed or moved while the server runs; see the server's log")
        default: APIError(.internalError, "the account's data can not be read or written; see the server's log")
        }
    }
}
