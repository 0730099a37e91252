extension ToolProcess {
    /// The output ended before what was waited for.
    public struct Ended: Error {
        /// What was waited for.
        public let wanted: String
        /// The output.
        public let text: String
    }

    /// Reads output until a line begins so, and gives the rest of that line.
    public func line(after beginning: String) async throws -> String {
        let line = try await read("a line \(beginning)") { lines in lines.first { $0.hasPrefix(beginning) } }
        return String(line.dropFirst(beginning.count))
    }

    /// Reads output until it has so many lines.
    public func lines(_ count: Int) async throws -> [String] {
        try await read("\(count) lines") { lines in lines.count < count ? nil : lines.prefix(count).map(String.init) }
    }

    /// Reads output until `find` finds something in its whole lines.
    private func read<Result>(_ wanted: String, _ find: ([Substring]) -> Result?) async throws -> Result {
        var text = ""
        while true {
            let bytes = await read()
            guard !bytes.isEmpty else { throw Ended(wanted: wanted, text: text) }
            text += String(decoding: bytes, as: UTF8.self)
            if let found = find(text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()) {
                return found
            }
        }
    }
}
