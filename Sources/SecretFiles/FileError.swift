/// One thing done to a file, in the order in which a write does them.
public enum FileStep: String, Hashable, Sendable, CaseIterable {
    /// Making the folder that the file is in.
    case createFolder = "create the folder"
    /// Making the temporary file beside the real one.
    case createTemporary = "create a temporary file for"
    /// Writing the content to the temporary file.
    case write = "write"
    /// Waiting until the content is on the disk.
    case synchronize = "flush"
    /// Giving the temporary file the real name.
    case publish = "put in place"
    /// Taking away the temporary name.
    case removeTemporary = "remove the temporary file of"
    /// Waiting until the name is on the disk.
    case synchronizeFolder = "flush the folder of"
    /// Opening and reading the content.
    case read = "read"
    /// Locking the file.
    case lock = "lock"
    /// Taking the file away.
    case remove = "remove"
    /// Listing a folder.
    case list = "list"
}

/// Why a file could not be read or written. The content is never part of it.
public enum FileError: Error, Hashable, Sendable {
    /// The file is there already and must not be overwritten.
    case alreadyExists(path: String)
    /// The file is longer than anything that belongs there, in bytes.
    case tooLarge(path: String, limit: Int)
    /// The path names a folder, a device, a socket or a pipe.
    case notARegularFile(path: String)
    /// Other users may read or write the file; `mode` is its permission bits.
    case openToOthers(path: String, mode: UInt32)
    /// Other users can enter the folder; `mode` is its permission bits.
    case folderOpenToOthers(path: String, mode: UInt32)
    /// The file or folder belongs to another user, the one with the id `owner`.
    case ofAnotherUser(path: String, owner: UInt32)
    /// Other users may write the file or folder; `mode` is its permission bits.
    case writableByOthers(path: String, mode: UInt32)
    /// The file has a second name, a hard link, by which others may reach it.
    case hasOtherNames(path: String)
    /// The system refused; `code` is its `errno`.
    case failed(FileStep, path: String, code: CInt)

    /// The file or folder in question.
    public var path: String {
        switch self {
        case .alreadyExists(let path), .tooLarge(let path, _), .notARegularFile(let path), .openToOthers(let path, _),
            .folderOpenToOthers(let path, _), .ofAnotherUser(let path, _), .writableByOthers(let path, _),
            .hasOtherNames(let path), .failed(_, let path, _):
            path
        }
    }
}

extension FileError: CustomStringConvertible {
    /// What is wrong with which file, and what to do.
    public var description: String {
        switch self {
        case .alreadyExists(let path): "\(path) exists already and was left as it is; move it away first"
        case .tooLarge(let path, let limit):
            "\(path) is longer than \(limit) bytes, so it is no file of ours; move it away or name another"
        case .notARegularFile(let path): "\(path) is no regular file; move it away or name another"
        case .openToOthers(let path, let mode):
            "\(path) is open to other users (mode 0\(String(mode, radix: 8))); run: chmod 600 '\(path)'"
        case .folderOpenToOthers(let path, let mode):
            "\(path) can be entered by other users (mode 0\(String(mode, radix: 8))); run: chmod 700 '\(path)'"
        case .ofAnotherUser(let path, let owner):
            "\(path) belongs to user \(owner) and this is user \(SystemCalls.userId): use a folder of your own, run as "
                + "that user, or run: chown \(SystemCalls.userId) '\(path)'"
        case .writableByOthers(let path, let mode):
            "\(path) can be written by other users (mode 0\(String(mode, radix: 8))); use a folder of your own, or run: "
                + "chmod go-w '\(path)'"
        case .hasOtherNames(let path):
            "\(path) has another name elsewhere (a hard link): find it with find -samefile and remove it, or put a copy of "
                + "the file in its place"
        case .failed(let step, let path, let code):
            "cannot \(step.rawValue) \(path): \(SystemCode(rawValue: code).reason)"
        }
    }
}
