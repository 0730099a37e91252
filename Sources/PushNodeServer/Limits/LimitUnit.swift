/// What the numbers of a limit count, and how they are written.
public enum LimitUnit: Hashable, Sendable {
    /// Things: `4096`.
    case count
    /// Bytes: `4096`, `64KiB`, `1MiB`, `16GiB`.
    case bytes
    /// Milliseconds: `500ms`, `10s`, `5m`, `2h`, `1d`.
    case duration
    /// So many a second: `50` or `50/s`.
    case perSecond

    /// What a value must look like, for an error.
    var expectation: String {
        switch self {
        case .count: "a whole number"
        case .bytes: "bytes, such as 1048576 or 64MiB,"
        case .duration: "a duration, such as 500ms, 10s, 5m or 2h,"
        case .perSecond: "a whole number a second"
        }
    }

    private var suffixes: [(name: String, factor: Int)] {
        switch self {
        case .count: [("", 1)]
        case .bytes: [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("", 1)]
        case .duration: [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)]
        case .perSecond: [("/s", 1), ("", 1)]
        }
    }

    /// The number that a text says; `nil` when it says none.
    func value(of text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count)
        guard let number = Int(digits), let unit = suffixes.first(where: { $0.name == suffix }) else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: unit.factor)
        return overflow ? nil : product
    }

    /// The shortest text that says a number.
    func text(_ value: Int) -> String {
        let unit = suffixes.first { value >= $0.factor && value.isMultiple(of: $0.factor) } ?? suffixes.last
        return "\(value / (unit?.factor ?? 1))\(unit?.name ?? "")"
    }
}
