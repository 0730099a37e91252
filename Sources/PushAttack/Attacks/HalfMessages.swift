import AnySyncNet
import AnySyncWire
import PushAPI
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
            await withDiscardingTaskGroup { group in
                for _ in 0..<64 {
                    group.addTask { [connection] in
                        // Whose stream is ended begins again.
                        while !Task.isCancelled, await connection.status.closed == nil {
                            await hold(on: connection, site.tally)
                            try? await Task.sleep(for: .milliseconds(20))
                        }
                    }
                }
            }
            site.tally.add("connections lost")
            try await Task.sleep(for: .milliseconds(100))
            do { connection = try await peer.dial() } catch { site.tally.add("dials refused") }
        }
    }

    /// With its frames' headers a little less than 1 MiB: 64 of them leave 512 bytes of 64 MiB, too few for anybody.
    private static let messageSize = 1_048_440

    /// Sends a message without its end, and waits for the stream's.
    private static func hold(on connection: any Connection, _ tally: Tally) async {
        do {
            let stream = try await RawStream.open(on: connection)
            defer { stream.close() }
            try await stream.write(
                RawStream.frame(.invoke, Array(PushRPC.subscribeAll.rawValue.utf8), call: 1, message: 1))
            var left = messageSize
            while left > 0 {
                let piece = [UInt8](repeating: 7, count: min(left, 65_536))
                left -= piece.count
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
