import Glibc
import TestSupport

/// Commands of a shell.
enum Shell {
    struct Failure: Error {}

    /// What a command writes, waited for on a thread that no test needs.
    static func output(_ command: String) async throws -> String {
        try await OwnThread.run { Result { try read(command) } }.get()
    }

    private static func read(_ command: String) throws -> String {
        guard let pipe = popen(command, "re") else { throw Failure() }
        defer { pclose(pipe) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, pipe)
            guard count > 0 else { return String(decoding: output, as: UTF8.self) }
            output += buffer[..<count]
        }
    }

    /// Whether a program is there.
    static func has(_ program: String) -> Bool {
        system("command -v \(program) >/dev/null 2>&1") == 0
    }
}
