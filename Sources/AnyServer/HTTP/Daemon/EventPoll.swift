internal import CMicroHTTPD
internal import Glibc

/// An epoll set with a wake-up, which together are what a loop's thread sleeps on.
struct EventPoll: ~Copyable, Sendable {
    /// Something that happened to a descriptor.
    struct Event: Sendable {
        /// The number under which the descriptor was added.
        var tag: UInt64
        /// Both directions are closed or the socket failed, so nothing that is sent arrives.
        var isBroken: Bool
    }

    private let set: Int32
    private let wakeUp: Int32

    private static let wakeUpTag: UInt64 = 0
    private static let batch = 64

    /// - Throws: ``HTTPServerError/system(operation:error:)`` when the system has no descriptors left.
    init() throws(HTTPServerError) {
        set = cmhd_epoll_create()
        guard set >= 0 else { throw .system(operation: "making an event queue", error: SystemCall.lastError) }
        let wakeUp = cmhd_event_create()
        guard wakeUp >= 0, cmhd_epoll_add(set, wakeUp, cmhd_readable, Self.wakeUpTag) == 0 else {
            let error = SystemCall.lastError
            close(set)
            if wakeUp >= 0 { close(wakeUp) }
            throw .system(operation: "making an event queue's wake-up", error: error)
        }
        self.wakeUp = wakeUp
    }

    deinit {
        close(wakeUp)
        close(set)
    }

    /// Has ``wait(forever:into:)`` return while a descriptor is readable. `tag` is not 0.
    func addReadable(_ descriptor: Int32, tag: UInt64) -> Bool {
        cmhd_epoll_add(set, descriptor, cmhd_readable, tag) == 0
    }

    /// Has ``wait(forever:into:)`` tell when the other side of a socket closes. `tag` is not 0.
    func addHangup(_ descriptor: Int32, tag: UInt64) -> Bool {
        cmhd_epoll_add(set, descriptor, cmhd_hangup, tag) == 0
    }

    /// Forgets a descriptor.
    func remove(_ descriptor: Int32) {
        _ = cmhd_epoll_remove(set, descriptor)
    }

    /// Ends a wait, or the next one. From any thread.
    func wake() {
        var one: UInt64 = 1
        _ = write(wakeUp, &one, MemoryLayout<UInt64>.size)
    }

    /// Waits for events and appends those of descriptors.
    func wait(forever: Bool, into events: inout [Event]) {
        withUnsafeTemporaryAllocation(of: cmhd_event.self, capacity: Self.batch) { found in
            let count = cmhd_epoll_wait(set, found.baseAddress, forever ? -1 : 0)
            for event in found.prefix(max(0, Int(count))) {
                if event.tag == Self.wakeUpTag {
                    var count: UInt64 = 0
                    _ = read(wakeUp, &count, MemoryLayout<UInt64>.size)
                } else {
                    events.append(Event(tag: event.tag, isBroken: event.events & cmhd_broken != 0))
                }
            }
        }
    }
}
