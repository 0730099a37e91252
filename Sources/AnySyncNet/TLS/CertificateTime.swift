/// The two time forms of certificates, in seconds since 1970 (RFC 5280 §4.1.2.5: to the second, in UTC).
enum CertificateTime {
    static func decode(_ element: DERReader.Element) -> Int64? {
        let text = element.content
        var digits = text.dropLast()
        guard text.last == UInt8(ascii: "Z"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var year: Int64
        switch (element.tag, digits.count) {
        case (DERReader.Tag.utcTime, 12):
            year = take(2, from: &digits)
            year += year < 50 ? 2000 : 1900
        case (DERReader.Tag.generalizedTime, 14):
            year = take(4, from: &digits)
        default:
            return nil
        }
        let month = take(2, from: &digits)
        let day = take(2, from: &digits)
        let (hour, minute, second) = (take(2, from: &digits), take(2, from: &digits), take(2, from: &digits))
        guard
            (1...12).contains(month), (1...daysIn(month, of: year)).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        return ((days(before: year) + dayOfYear(month, day, year)) * 24 + hour) * 3600 + minute * 60 + second
    }

    private static func take(_ count: Int, from digits: inout ArraySlice<UInt8>) -> Int64 {
        defer { digits = digits.dropFirst(count) }
        return digits.prefix(count).reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func daysIn(_ month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970 to the first of January of `year`.
    private static func days(before year: Int64) -> Int64 {
        func daysSinceYearZero(_ year: Int64) -> Int64 {
            let before = year - 1
            return year * 365 + before / 4 - before / 100 + before / 400
        }
        return daysSinceYearZero(year) - daysSinceYearZero(1970)
    }

    private static func dayOfYear(_ month: Int64, _ day: Int64, _ year: Int64) -> Int64 {
        (1..<month).reduce(day - 1) { $0 + daysIn($1, of: year) }
    }
}
