import FoundationEssentials
import Glibc
import Locks

/// Reads the node's spool as it grows, and notes when the notifications of some devices arrive.
final class SpoolWatch: Sendable {
    struct Arrival: Sendable {
        let payload: String
        let token: String
        let time: ContinuousClock.Instant
    }

    private struct Line: Decodable {
        let token: String
        let data: [String: String]
    }

    private let arrivals = SystemLock<[Arrival]>([])
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - path: the file, which may be missing yet.
    ///   - prefix: what the devices' tokens begin with.
    init(_ path: String, tokens prefix: String) {
        let arrivals = arrivals
        task = Task.detached {
            let needle = Array("\"token\":\"\(prefix)".utf8)
            var descriptor: Int32 = -1
            defer { if descriptor >= 0 { close(descriptor) } }
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while !Task.isCancelled {
                if descriptor < 0 { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
                let count = descriptor < 0 ? 0 : read(descriptor, &buffer, buffer.count)
                guard count > 0 else {
                    try? await Task.sleep(for: .milliseconds(4))
                    continue
                }
                let now = ContinuousClock.now
                rest += buffer[..<count]
                guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
                for line in rest[..<end].split(separator: UInt8(ascii: "\n")) where contains(line, needle) {
                    guard let read = try? JSONDecoder().decode(Line.self, from: Data(line)) else { continue }
                    let arrival = Arrival(payload: read.data["x-any-payload"] ?? "", token: read.token, time: now)
                    arrivals.withLock { $0.append(arrival) }
                }
                rest.removeSubrange(...end)
            }
        }
    }

    func stop() { task.cancel() }

    var all: [Arrival] { arrivals.withLock { $0 } }
}

private func contains(_ line: ArraySlice<UInt8>, _ needle: [UInt8]) -> Bool {
    // The token comes last in a line.
    var rest = line.suffix(256)
    while let start = rest.firstIndex(of: needle[0]) {
        rest = rest[start...]
        if rest.starts(with: needle) { return true }
        rest = rest.dropFirst()
    }
    return false
}
