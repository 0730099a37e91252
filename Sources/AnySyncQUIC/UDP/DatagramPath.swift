internal import AnySyncNet
internal import CQUIC

/// The two ends that a datagram travels between.
struct DatagramPath {
    fileprivate(set) var raw: cquic_path

    init(local: SocketAddress, remote: SocketAddress) {
        raw = cquic_path(local: local.storageCopy, remote: remote.storageCopy)
    }

    /// A path to be filled by the library.
    init() {
        raw = cquic_path()
    }

    /// The end on this machine.
    var local: SocketAddress? {
        Self.address(raw.local)
    }

    /// The other end.
    var remote: SocketAddress? {
        Self.address(raw.remote)
    }

    /// Lets a call of the library fill the path.
    mutating func withRaw<R>(_ body: (UnsafeMutablePointer<cquic_path>) -> R) -> R {
        body(&raw)
    }

    private static func address(_ storage: sockaddr_storage) -> SocketAddress? {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketAddress(copying: $0) }
        }
    }
}

extension SocketAddress {
    /// The address as the system's calls take it.
    var storageCopy: sockaddr_storage {
        // A SocketAddress is stored as one.
        withPointer { UnsafeRawPointer($0).loadUnaligned(as: sockaddr_storage.self) }
    }
}
