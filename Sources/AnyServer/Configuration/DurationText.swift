/// Durations as Go writes them, `1h2m3.5s`: what the configuration and the flags of `any` take.
package enum DurationText {
    // Go's units, in nanoseconds.
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("ns", 1), ("us", 1000), ("µs", 1000), ("μs", 1000), ("ms", 1_000_000), ("s", 1_000_000_000),
        ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ]

    /// The duration that `text` says; `nil` when it is none, is negative, or is longer than 292 years.
    package static func parse(_ text: String) -> Duration? {
        guard text != "0" else { return .zero }
        var rest = Substring(text)
        var total: Int64 = 0
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let whole = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(whole.count)
            var fraction = Substring()
            if rest.first == "." {
                fraction = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
                rest = rest.dropFirst(1 + fraction.count)
            }
            guard !whole.isEmpty || !fraction.isEmpty else { return nil }
            let name = rest.prefix { $0 != "." && !($0.isASCII && $0.isNumber) }
            rest = rest.dropFirst(name.count)
            guard
                let unit = units.first(where: { $0.name == name })?.nanoseconds,
                let part = nanoseconds(whole, fraction, unit: unit)
            else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(part)
            guard !overflow else { return nil }
            total = sum
        }
        return .nanoseconds(total)
    }

    private static func nanoseconds(_ whole: Substring, _ fraction: Substring, unit: Int64) -> Int64? {
        guard let count = whole.isEmpty ? 0 : Int64(whole) else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow else { return nil }
        // More digits than the longest unit has nanoseconds for change nothing.
        var scaled = Double(0)
        var place = Double(unit)
        for digit in fraction.prefix(18) {
            place /= 10
            scaled += place * Double(digit.wholeNumberValue ?? 0)
        }
        let (sum, carried) = product.addingReportingOverflow(Int64(scaled.rounded()))
        return carried ? nil : sum
    }
}
