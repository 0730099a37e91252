import Glibc

/// Which files a store has open, to notice that they are no longer those at its path: what is committed to a file that was
/// removed is gone with the process.
struct StorePlace {
    private let files: [(path: String, identity: Identity)]

    private struct Identity: Equatable {
        let device: dev_t
        let number: ino_t

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = status.st_dev
            number = status.st_ino
        }
    }

    /// The files of an open store: its own and its write-ahead log.
    ///
    /// - Returns: `nil` when one of them is not there.
    init?(of path: String) {
        var files: [(path: String, identity: Identity)] = []
        for path in [path, path + "-wal"] {
            guard let identity = Identity(path) else { return nil }
            files.append((path, identity))
        }
        self.files = files
    }

    /// Whether the files are where they were. Costs two system calls, about a microsecond each.
    var isIntact: Bool {
        files.allSatisfy { Identity($0.path) == $0.identity }
    }
}
