package import SecretFiles

/// A ``NotificationShelf`` that outlives the process, and that several processes share, such as an app and its extension.
///
/// Each message is decided under the file's lock, `<path>.lock`, which the system takes from a process that dies. The file
/// is replaced whole, and has no word of what notifications say.
public struct ShelfFile: Sendable {
    /// What to do about a push message, and what went wrong on the way.
    public struct Decision: Hashable, Sendable {
        /// What to do. It holds whatever went wrong: a failure shows too much, never too little.
        public let change: NotificationShelf.Change
        /// What went wrong, for a log; `nil` when nothing did.
        public let failure: ShelfError?

        /// A decision; see the properties.
        public init(change: NotificationShelf.Change, failure: ShelfError?) {
            self.change = change
            self.failure = failure
        }
    }

    // More than the fullest shelf has: twice the capacity, each entry with every account and version at its longest.
    static let maximumByteCount = 4 << 20

    /// How many notifications are remembered.
    public let capacity: Int

    private let file: SecretFile
    private let lock: LockFile

    /// A shelf at `path`, which need not exist; its folder must.
    ///
    /// - Parameters:
    ///   - path: the file's.
    ///   - capacity: how many notifications are remembered, 1 to 1024.
    public init(path: String, capacity: Int = 512) {
        self.init(path: path, capacity: capacity) { _ in nil }
    }

    /// A shelf whose file fails at the steps that `fault` says.
    package init(path: String, capacity: Int = 512, fault: @escaping SecretFile.Fault) {
        self.capacity = min(max(capacity, 1), 1024)
        file = SecretFile(path: path, fault: fault)
        lock = LockFile(path: path + ".lock")
    }

    /// Takes in a push message; see ``NotificationShelf/apply(_:at:sentAt:)``.
    public func apply(
        _ notification: ReceivedNotification, at time: Int64 = DeviceTime.seconds(), sentAt: Int64? = nil
    ) -> Decision {
        do throws(FileError) {
            return try lock.whileLocked { decide(notification, at: time, sentAt: sentAt) }
        } catch {
            // Without the lock nothing may be written.
            var (shelf, _) = load()
            return Decision(
                change: shelf.apply(notification, at: time, sentAt: sentAt), failure: .unwritable(error))
        }
    }

    /// The shelf as it is on disk; an empty one where it cannot be read.
    public var shelf: NotificationShelf { load().shelf }

    private func decide(_ notification: ReceivedNotification, at time: Int64, sentAt: Int64?) -> Decision {
        var (shelf, failure) = load()
        let change = shelf.apply(notification, at: time, sentAt: sentAt)
        switch failure {
        case .unsupportedVersion, .unreadable: break
        default:
            do throws(FileError) { try file.replace(with: shelf.encoded()) } catch { failure = .unwritable(error) }
        }
        return Decision(change: change, failure: failure)
    }

    private func load() -> (shelf: NotificationShelf, failure: ShelfError?) {
        let empty = NotificationShelf(capacity: capacity)
        do throws(FileError) {
            guard let bytes = try file.read(limit: Self.maximumByteCount, followsLinks: false) else {
                return (empty, nil)
            }
            do throws(ShelfError) { return (try NotificationShelf(bytes, capacity: capacity), nil) } catch {
                return (empty, error)
            }
        } catch {
            if case .tooLarge = error { return (empty, .damaged) }
            return (empty, .unreadable(error))
        }
    }
}
