internal import CMicroHTTPD
internal import Glibc

/// What a daemon tells its owner. Everything is called on the thread that runs the daemon, from within
/// ``HTTPDaemon/run()`` or ``HTTPDaemon/stop()``.
protocol HTTPDaemonDelegate: AnyObject {
    /// A client has connected.
    func connectionOpened(_ connection: HTTPConnection)
    /// A connection is gone; nothing may be done with it any more.
    func connectionClosed(_ connection: HTTPConnection)
    /// A request's head is complete.
    func requestBegan(_ connection: HTTPConnection, head: RequestHead) -> HTTPConnection.Verdict
    /// More of a request's body is there, `count` bytes.
    func bodyArrives(_ connection: HTTPConnection, count: Int) -> HTTPConnection.Verdict
    /// A request is complete. Its connection is suspended until it is answered.
    func requestReceived(_ connection: HTTPConnection, body: [UInt8])
    /// A request has been answered, or can not be any more.
    func requestEnded(_ connection: HTTPConnection, isAnswered: Bool)
    /// The client takes more of an event stream, at most so many bytes.
    func streamWanted(_ connection: HTTPConnection, atMost count: Int) -> HTTPConnection.StreamOutput
}

/// libmicrohttpd's daemon on a listening socket, run by one thread of ours.
///
/// External epoll mode rather than the library's own thread: one thread for 1000 event streams either way, but ours
/// also sees clients leave while their connections are suspended, runs the server's actor, and needs no locks towards
/// it.
///
/// Bytes that are no HTTP, and heads that do not fit into a connection's memory, the library answers itself, with a
/// status and a line of HTML, before anybody here hears of them.
final class HTTPDaemon {
    private var daemon: OpaquePointer?
    private(set) weak var delegate: (any HTTPDaemonDelegate)?
    private var nextConnection: UInt64 = 0
    private var isListening = true
    /// Something was done that the library acts on in its next run only.
    var hasNews = true

    /// What the thread waits on between two runs.
    let descriptor: Int32

    /// Starts to listen; nothing happens before ``run()``.
    ///
    /// - Parameters:
    ///   - connections: How many may be open; further ones wait to be accepted.
    ///   - connectionMemory: Bytes for each connection's head and buffers.
    ///   - firstId: The number of the first connection.
    /// - Throws: ``HTTPServerError/daemonFailed``.
    init(
        socket: consuming ListeningSocket, connections: Int, connectionMemory: Int, firstId: UInt64,
        delegate: any HTTPDaemonDelegate
    ) throws(HTTPServerError) {
        self.delegate = delegate
        nextConnection = firstId
        let socket = socket.release()
        // The context comes second: a class is complete before its address is given away.
        let box = DaemonBox()
        daemon = cmhd_start(
            socket, UInt32(clamping: connections), connectionMemory, Callbacks.access, Callbacks.target,
            Callbacks.completed, Callbacks.connection, Unmanaged.passUnretained(box).toOpaque())
        guard let daemon else {
            close(socket)
            throw .daemonFailed
        }
        descriptor = cmhd_epoll_descriptor(daemon)
        self.box = box
        box.daemon = self
    }

    private let box: DaemonBox

    /// Does what is to be done now.
    ///
    /// - Returns: Whether to run again without waiting for ``descriptor``.
    func run() -> Bool {
        guard let daemon else { return false }
        hasNews = false
        _ = MHD_run(daemon)
        var timeout: UInt64 = 0
        return hasNews || (MHD_get_timeout(daemon, &timeout) == .YES && timeout == 0)
    }

    /// Refuses further connections.
    func stopListening() {
        guard isListening, let daemon else { return }
        isListening = false
        // Without a thread of the library's nobody else uses the socket.
        close(MHD_quiesce_daemon(daemon))
    }

    /// Ends the daemon and every connection. None may be suspended, for the library ends the process over it.
    func stop() {
        guard let daemon else { return }
        stopListening()
        MHD_stop_daemon(daemon)
        self.daemon = nil
    }

    deinit {
        assert(daemon == nil, "an HTTP daemon must be stopped")
    }

    // MARK: What the library calls

    /// The address that the library hands to the callbacks; `daemon` lives as long as the library can call.
    private final class DaemonBox {
        weak var daemon: HTTPDaemon?
    }

    private enum Callbacks {
        static let target:
            @convention(c) (
                UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
            ) -> UnsafeMutableRawPointer? = { _, target, pointer in
                guard let pointer, let connection = HTTPConnection.of(pointer) else { return nil }
                connection.targetArrived(target)
                // Anything but nil will do: a connection has one request at a time and keeps its state itself.
                return Unmanaged.passUnretained(connection).toOpaque()
            }

        static let access: MHD_AccessHandlerCallback = { context, pointer, _, method, version, data, count, _ in
            guard let pointer, let count, let delegate = delegate(context), let connection = HTTPConnection.of(pointer)
            else { return .NO }
            return connection.advance(method: method, version: version, data: data, count: count, delegate: delegate)
                ? .YES : .NO
        }

        static let completed: MHD_RequestCompletedCallback = { context, pointer, _, reason in
            guard let pointer, let connection = HTTPConnection.of(pointer) else { return }
            connection.requestEnded()
            delegate(context)?.requestEnded(
                connection, isAnswered: reason == .REQUEST_TERMINATED_COMPLETED_OK)
        }

        static let connection: MHD_NotifyConnectionCallback = { context, pointer, slot, event in
            guard let context, let pointer, let slot,
                let daemon = Unmanaged<DaemonBox>.fromOpaque(context).takeUnretainedValue().daemon
            else { return }
            if event == .CONNECTION_NOTIFY_STARTED {
                let connection = HTTPConnection(pointer, id: daemon.nextConnection, daemon: daemon)
                daemon.nextConnection += 1
                slot.pointee = Unmanaged.passRetained(connection).toOpaque()
                daemon.delegate?.connectionOpened(connection)
            } else if let kept = slot.pointee {
                slot.pointee = nil
                let connection = Unmanaged<HTTPConnection>.fromOpaque(kept).takeRetainedValue()
                // A place is free again, but the library listens again in its next run only.
                daemon.hasNews = true
                connection.closed()
                daemon.delegate?.connectionClosed(connection)
            }
        }

        private static func delegate(_ context: UnsafeMutableRawPointer?) -> (any HTTPDaemonDelegate)? {
            guard let context else { return nil }
            return Unmanaged<DaemonBox>.fromOpaque(context).takeUnretainedValue().daemon?.delegate
        }
    }
}
