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
