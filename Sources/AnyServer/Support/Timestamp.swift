import Glibc

/// Times as the API writes them.
enum Timestamp {
    /// The time now, in milliseconds since 1970.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// A time as RFC 3339 writes it, in UTC: `2026-07-09T08:30:00.250Z`.
    static func text(_ milliseconds: Int64) -> String {
        let (days, time) = divide(milliseconds, by: 86_400_000)
        let (year, month, day) = date(day: days)
        let (hours, minutes, seconds) = (time / 3_600_000, time / 60_000 % 60, time / 1000 % 60)
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T"
            + "\(digits(hours, 2)):\(digits(minutes, 2)):\(digits(seconds, 2)).\(digits(time % 1000, 3))Z"
    }

    /// A time as records have it: `{"$date": "2026-07-09T08:30:00.250Z"}`.
    static func json(_ milliseconds: Int64) -> JSONValue {
        [dateField: .string(text(milliseconds))]
    }

    /// The one field of a time in a record.
    static let dateField = "$date"

    /// Reads a time as RFC 3339 writes it, with any offset; what is below a millisecond is cut off.
    ///
    /// - Returns: milliseconds since 1970; `nil` for any other text.
    static func milliseconds(_ text: String) -> Int64? {
        let pattern =
            /([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})/
        guard text.utf8.count <= 64, let match = text.wholeMatch(of: pattern)?.output else { return nil }
        func number(_ part: Substring) -> Int64 { Int64(part) ?? 0 }
        let (year, month, day) = (number(match.1), number(match.2), number(match.3))
        let (hours, minutes, seconds) = (number(match.4), number(match.5), number(match.6))
        guard (1...12).contains(month), (1...31).contains(day), hours < 24, minutes < 60, seconds < 61 else {
            return nil
        }
        let dayNumber = Self.day(year: year, month: month, day: day)
        // A day that the month does not have is another day.
        guard date(day: dayNumber) == (year, month, day) else { return nil }
        let fraction = match.7.map { Int64(($0.dropFirst() + "000").prefix(3)) ?? 0 } ?? 0
        var offset: Int64 = 0
        if match.8.count == 6 {
            offset = number(match.8.dropFirst().prefix(2)) * 60 + number(match.8.suffix(2))
            if match.8.hasPrefix("-") { offset = -offset }
        }
        return ((dayNumber * 24 + hours) * 60 + minutes - offset) * 60_000 + seconds * 1000 + fraction
    }

    /// The inverse of ``date(day:)``.
    private static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        let (cycle, yearOfCycle) = divide(month <= 2 ? year - 1 : year, by: 400)
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return cycle * 146_097 + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - 719_468
    }

    /// The day of the Gregorian calendar so many days after 1970-01-01. Counts years from March, so that leap days are
    /// last, in cycles of 400 years, which have 146 097 days each.
    private static func date(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (cycle, dayOfCycle) = divide(day + 719_468, by: 146_097)
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// Division that rounds down, also below zero.
    private static func divide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    private static func digits(_ value: Int64, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
