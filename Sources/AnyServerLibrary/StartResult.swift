import AnyServer
import CAnyServer

/// What a start came to, as anyserver.h numbers it.
enum StartResult: Sendable {
    case started
    case alreadyRunning
    case badDataDirectory
    case bootFailed

    init(_ error: any Error) {
        self =
            switch error {
            case AnyServerError.alreadyRunning: .alreadyRunning
            case AnyServerError.badDataDirectory, ServerRequest.Refusal.noDataDirectory: .badDataDirectory
            default: .bootFailed
            }
    }

    var rawValue: CInt {
        switch self {
        case .started: CInt(ANY_SERVER_OK)
        case .alreadyRunning: CInt(ANY_SERVER_ALREADY_RUNNING)
        case .badDataDirectory: CInt(ANY_SERVER_BAD_DATA_DIRECTORY)
        case .bootFailed: CInt(ANY_SERVER_BOOT_FAILED)
        }
    }
}
