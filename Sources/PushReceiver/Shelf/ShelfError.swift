public import SecretFiles

/// Why what was shown before is not known, or will not be known later. None keeps a notification from being shown.
public enum ShelfError: Error, Hashable, Sendable {
    /// The file cannot be read; what was shown before is not known.
    case unreadable(FileError)
    /// The file is no shelf; it is written anew.
    case damaged
    /// The file was written by newer software, and stays as it is.
    case unsupportedVersion(found: UInt64)
    /// The file cannot be written; what was decided now will not be known later.
    case unwritable(FileError)
}

extension ShelfError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let error): "what was shown before is not known: \(error)"
        case .damaged: "the file of what was shown before is damaged; it is written anew"
        case .unsupportedVersion(let found):
            "the file of what was shown before has version \(found), this software reads \(NotificationShelf.version): update it"
        case .unwritable(let error): "what is shown now is not remembered: \(error)"
        }
    }
}
