/// One thing that happened, for the log. Holds no key, token, payload or text of a user.
struct LogRecord: Sendable {
    let time: Int64
    let level: LogSettings.Level
    let message: String
    /// What belongs to it, by name.
    let fields: [(name: String, value: String)]

    /// The record on one line, without the line's end.
    func line(_ format: LogSettings.Format) -> String {
        switch format {
        case .plaintext: text(isColored: false)
        case .colorized: text(isColored: true)
        case .json: json
        }
    }

    private var json: String {
        var object: JSONObject = [
            "time": .string(Timestamp.text(time)), "level": .string(level.rawValue), "message": .string(message),
        ]
        for field in fields where object[field.name] == nil { object[field.name] = .string(field.value) }
        return String(decoding: JSONWriter.bytes(.object(object)), as: UTF8.self)
    }

    private func text(isColored: Bool) -> String {
        let name = level.rawValue.uppercased()
        let padded = name + String(repeating: " ", count: max(0, 5 - name.utf8.count))
        var line = "\(Timestamp.text(time)) \(isColored ? level.color + padded + "\u{1b}[0m" : padded) "
        line += Self.visible(message)
        for field in fields {
            let value = Self.visible(field.value)
            line += " \(field.name)=" + (value.contains(" ") || value.isEmpty ? "\"\(value)\"" : value)
        }
        return line
    }

    /// Without what could break the line or move a terminal's cursor.
    private static func visible(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator, .format: " "
                    default: scalar
                    }
                }))
    }
}

extension LogSettings.Level: Comparable {
    /// From what only developers need to what someone has to look at.
    public static func < (left: LogSettings.Level, right: LogSettings.Level) -> Bool {
        left.severity < right.severity
    }

    private var severity: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warn: 2
        case .error: 3
        }
    }

    fileprivate var color: String {
        switch self {
        case .debug: "\u{1b}[90m"
        case .info: "\u{1b}[36m"
        case .warn: "\u{1b}[33m"
        case .error: "\u{1b}[31m"
        }
    }
}
