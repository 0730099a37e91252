import Glibc
import SecretFiles

/// Reads a file or standard input line by line, no line longer than a limit.
final class LineReader {
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private let limit: Int
    /// For messages.
    let name: String
    /// The number of the line that was read last, from 1 on.
    private(set) var number = 0
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// - Parameters:
    ///   - path: a file, or `-` for standard input.
    ///   - limit: the most bytes that a line may have.
    init(path: String, limit: Int) throws(CommandFailure) {
        self.limit = limit
        if path == "-" {
            descriptor = STDIN_FILENO
            ownsDescriptor = false
            name = "standard input"
            return
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure("cannot read \(path): \(String(cString: strerror(errno)))") }
        self.descriptor = descriptor
        ownsDescriptor = true
        name = path
    }

    deinit {
        if ownsDescriptor { close(descriptor) }
    }

    /// The next line without its end, `nil` when there is none.
    func next() throws(CommandFailure) -> [UInt8]? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                return try take(to: end, skipping: 1)
            }
            if isAtEnd { return start == buffer.count ? nil : try take(to: buffer.count, skipping: 0) }
            buffer.removeSubrange(..<start)
            start = 0
            searched = buffer.count
            guard buffer.count <= limit else { throw tooLong }
            try fill()
        }
    }

    private func take(to end: Int, skipping skipped: Int) throws(CommandFailure) -> [UInt8] {
        number += 1
        guard end - start <= limit else { throw tooLong }
        defer { start = end + skipped }
        return Array(buffer[start..<end])
    }

    private func fill() throws(CommandFailure) {
        let size = 256 << 10
        let before = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: size))
        var count = 0
        repeat {
            count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress?.advanced(by: before), size) }
        } while count < 0 && errno == EINTR
        buffer.removeLast(size - max(count, 0))
        guard count >= 0 else { throw CommandFailure("cannot read \(name): \(String(cString: strerror(errno)))") }
        isAtEnd = count == 0
    }

    private var tooLong: CommandFailure {
        CommandFailure("\(name): line \(number + 1) is longer than \(limit) bytes")
    }
}
