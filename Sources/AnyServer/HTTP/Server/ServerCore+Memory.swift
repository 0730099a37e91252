// What clients leave untaken is bounded in all, and who leaves the most goes first.
extension ServerCore {
    /// Cuts the clients that have not taken the largest responses, while there are too many bytes of them.
    func boundResponses() {
        var total = clients.values.reduce(0) { $0 + $1.responseBytes }
        while total > limits.responseBytes {
            // One alone may be as large as a handler makes it: it is taken, or cut after its time.
            let largest = clients.filter { $0.value.responseBytes > 0 }.max {
                $0.value.responseBytes < $1.value.responseBytes
            }
            guard let largest, largest.value.responseBytes < total else { return }
            total -= largest.value.responseBytes
            clients[largest.key]?.responseBytes = 0
            abandon(largest.key)
        }
    }

    /// Closes the streams that hold the most, while they hold too much together.
    func boundStreams() {
        // Fewer cannot.
        guard streamCount * EventStream.mailboxBytes > limits.responseBytes else { return }
        // A look at every stream costs more than a turn.
        let now = clock.now()
        guard now - streamsChecked >= Self.streamCheckInterval else { return }
        streamsChecked = now
        var held: [(stream: EventStream, count: Int)] = clients.values.compactMap { client in
            guard case .streaming(let stream) = client.phase else { return nil }
            return (stream, stream.heldBytes)
        }
        var total = held.reduce(0) { $0 + $1.count }
        guard total > limits.responseBytes else { return }
        held.sort { $0.count > $1.count }
        for (stream, count) in held where total > limits.responseBytes {
            total -= count
            stream.close(.overflow)
        }
    }

    private static let streamCheckInterval = Duration.milliseconds(100)
}
