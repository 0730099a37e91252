import AnySyncNet
import PushNodeServer
import SQLiteStorage
import SecretFiles

/// The files in a node's directory, and its keys, read.
struct NodeFiles {
    /// Why a node's directory cannot be used.
    enum Failure: Error, CustomStringConvertible {
        /// The store is there and the keys are not.
        case keysLost(keys: String, store: String)

        var description: String {
            switch self {
            case .keysLost(let keys, let store):
                "\(keys) is missing, and \(store) is there: restore the keys from a backup; to begin as another node on "
                    + "purpose, move \(store) and \(store)-wal away too"
            }
        }
    }

    /// The node's keys and version.
    let identity: LocalIdentity
    /// Whether there may be no store yet.
    let storeExpectation: StoreExpectation
    /// The store's file.
    let storePath: String
    /// The folder of the spool.
    let spoolPath: String
    private let mark: StartAnewMark

    /// Reads the keys of a node, or makes them in a directory that is new.
    ///
    /// The keys come before the store: a store without keys has lost them. A store that is missing beside keys is new only
    /// while the mark is there.
    ///
    /// - Parameter path: the directory, made when it is missing.
    init(in path: String) throws {
        try Folder.create(path)
        try Folder.requireTrusted(path)
        storePath = Paths.join(path, "node.db")
        spoolPath = Paths.join(path, "spool")
        mark = StartAnewMark(in: path)
        let keys = NodeKeys(in: path)
        if let identity = try keys.read() {
            self.identity = identity
        } else {
            for file in [storePath, storePath + "-wal"] where BoundedFile.hasContent(file) {
                throw Failure.keysLost(keys: keys.path, store: storePath)
            }
            try mark.set()
            identity = try keys.make()
        }
        storeExpectation = mark.isSet ? .mayBeNew : .exists(remedy: mark.remedy)
    }

    /// The store is there now: from the next start on it must be.
    func complete() throws {
        try mark.clear()
    }
}
