/// The one order of all JSON values, by which queries compare and sort: `null`, numbers, text, objects, arrays, truth
/// values, as document databases have it.
///
/// Text goes by its bytes, so that equal means the same, and whole numbers are never rounded.
enum JSONOrder {
    /// Negative, zero or positive, as `left` stands before, with or behind `right`.
    static func compare(_ left: JSONValue, _ right: JSONValue) -> Int {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): sign(left, right)
        case (.integer(let left), .number(let right)): compare(left, right)
        case (.number(let left), .integer(let right)): -compare(right, left)
        case (.number(let left), .number(let right)): sign(left, right)
        case (.string(let left), .string(let right)): compare(left, right)
        case (.bool(let left), .bool(let right)): sign(left ? 1 : 0, right ? 1 : 0)
        case (.array(let left), .array(let right)): compare(left, right)
        case (.object(let left), .object(let right)): compare(left, right)
        default: sign(rank(left), rank(right))
        }
    }

    /// Whether two values are the same; the order of an object's fields does not matter.
    static func areSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
        compare(left, right) == 0
    }

    /// Whether `<` and its like make sense between two values.
    static func areComparable(_ left: JSONValue, _ right: JSONValue) -> Bool {
        rank(left) == rank(right)
    }

    static func compare(_ left: String, _ right: String) -> Int {
        if left.utf8.elementsEqual(right.utf8) { return 0 }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }

    private static func rank(_ value: JSONValue) -> Int {
        switch value {
        case .null: 0
        case .integer, .number: 1
        case .string: 2
        case .object: 3
        case .array: 4
        case .bool: 5
        }
    }

    private static func sign<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left < right ? -1 : left > right ? 1 : 0
    }

    private static func compare(_ left: Int64, _ right: Double) -> Int {
        // 2^63 and -2^63 are doubles; every double between them has a whole part that is an Int64.
        guard right < 0x1p63 else { return -1 }
        guard right >= -0x1p63 else { return 1 }
        let whole = right.rounded(.towardZero)
        let order = sign(left, Int64(whole))
        return order != 0 ? order : sign(whole, right)
    }

    private static func compare(_ left: [JSONValue], _ right: [JSONValue]) -> Int {
        for (left, right) in zip(left, right) {
            let order = compare(left, right)
            if order != 0 { return order }
        }
        return sign(left.count, right.count)
    }

    private static func compare(_ left: JSONObject, _ right: JSONObject) -> Int {
        let left = sorted(left)
        let right = sorted(right)
        for (left, right) in zip(left, right) {
            let names = compare(left.name, right.name)
            if names != 0 { return names }
            let values = compare(left.value, right.value)
            if values != 0 { return values }
        }
        return sign(left.count, right.count)
    }

    private static func sorted(_ object: JSONObject) -> [JSONObject.Field] {
        object.fields.sorted { compare($0.name, $1.name) < 0 }
    }
}
