import Testing

@testable import AnyServer

@Suite struct QueryFilterTests {
    private static let record: JSONObject = [
        "id": "a", "count": 5, "ratio": 2.5, "name": "Ann", "isOpen": true, "nothing": nil, "_ver": ["id": "v2"],
        "mentions": ["x", "y"], "at": ["$date": "2026-07-09T08:30:00.000Z"],
        "parts": [["type": "image", "size": 3], ["type": "file"], "loose"],
    ]

    private func matches(_ filter: JSONObject) throws -> Bool {
        try QueryFilterReader.read(filter).matches(Self.record)
    }

    @Test(
        arguments: [
            ([:], true),
            (["id": "a"], true), (["id": "b"], false), (["id": "a", "count": 5], true),
            (["id": "a", "count": 6], false),
            (["count": 5.0], true), (["count": ["$eq": 5]], true), (["count": "5"], false), (["isOpen": 1], false),
            (["count": ["$ne": 5]], false), (["count": ["$ne": "5"]], true), (["absent": ["$ne": 5]], true),
            (["count": ["$gt": 4]], true), (["count": ["$gt": 5]], false), (["count": ["$gte": 5]], true),
            (["count": ["$lt": 5.5]], true), (["count": ["$lt": 5]], false), (["count": ["$lte": 5]], true),
            (["count": ["$gt": 1, "$lt": 5]], false), (["count": ["$gt": 1, "$lt": 6]], true),
            // Only values of one kind stand in an order.
            (["count": ["$gt": ""]], false), (["name": ["$gt": 0]], false), (["absent": ["$lt": 9]], false),
            (["name": ["$gte": "Ann", "$lt": "Anna"]], true), (["isOpen": ["$gt": false]], true),
            (["count": ["$in": [1, 5]]], true), (["count": ["$in": []]], false), (["count": ["$nin": [1, 5]]], false),
            (["absent": ["$nin": [1]]], true), (["absent": ["$in": [nil]]], true), (["absent": nil], true),
            (["nothing": nil], true), (["count": nil], false),
            (["absent": ["$exists": false]], true), (["nothing": ["$exists": true]], true),
            (["count": ["$exists": false]], false), (["_ver.id": "v2"], true), (["_ver.id": ["$gt": "v1"]], true),
            (["_ver.id.more": ["$exists": true]], false), (["_ver": ["id": "v2"]], true),
            (["_ver": ["id": "v1"]], false),
            (["mentions": "y"], true), (["mentions": "z"], false), (["mentions": ["x", "y"]], true),
            (["mentions": ["y", "x"]], false), (["mentions": ["$ne": "y"]], false),
            (["mentions": ["$nin": ["z"]]], true),
            (["parts.type": "file"], true), (["parts.size": ["$gt": 2]], true), (["parts.size": ["$gt": 3]], false),
            (["$and": [["id": "a"], ["count": 5]]], true), (["$and": [["id": "a"], ["count": 6]]], false),
            (["$or": [["id": "b"], ["count": 5]]], true), (["$or": [["id": "b"], ["count": 6]]], false),
            (["$not": ["id": "a"]], false), (["$not": ["$or": [["id": "b"], ["count": 6]]]], true),
            (["count": ["$not": ["$gt": 5]]], true), (["count": ["$not": ["$gt": 4, "$lt": 6]]], false),
            (["$nor": [["id": "b"], ["count": 6]]], true), (["$nor": [["id": "b"], ["count": 5]]], false),
            (["mentions": ["$all": ["x", "y"]]], true), (["mentions": ["$all": ["x", "z"]]], false),
            (["mentions": ["$all": []]], false), (["mentions": ["$size": 2]], true),
            (["mentions": ["$size": 1]], false),
            (["count": ["$size": 1]], false), (["count": ["$type": "number"]], true),
            (["name": ["$type": "number"]], false),
            (["mentions": ["$type": "array"]], true), (["at": ["$type": "date"]], true),
            (["at": ["$type": "object"]], false),
            (["name": ["$regex": "^A"]], true), (["name": ["$regex": "^n"]], false),
            (["name": ["$regex": "NN$", "$options": "i"]], true), (["mentions": ["$regex": "^y$"]], true),
            (["count": ["$regex": "5"]], false), (["at": ["$gt": ["$date": "2026-07-09T08:29:59Z"]]], true),
            (["at": ["$lt": ["$date": "2026-07-09T08:30:00Z"]]], false),
            (["at": ["$date": "2026-07-09T10:30:00+02:00"]], true), (["at": ["$gte": "2026"]], false),
            (["absent": ["$not": ["$gt": 5]]], true), (["$or": [["id": "b"], ["$and": [["name": "Ann"]]]]], true),
        ] as [(JSONObject, Bool)])
    func aRecordFitsOrNot(filter: JSONObject, expected: Bool) throws {
        #expect(try matches(filter) == expected)
    }

    @Test(
        arguments: [
            (["count": ["$near": 5]], "unknown operator \"$near\""), (["$nor": ["a": 1]], "$nor that is not"),
            (["a": ["$size": -1]], "$size that is not"), (["a": ["$type": "int"]], "$type that is not"),
            (["a": ["$regex": "("]], "$regex that is not"),
            (["a": ["$regex": "a", "$options": "x"]], "$options that is not"),
            (["a": ["$gt": ["$date": "2026"]]], "$date that is no time"),
            (["$where": "1"], "unknown operator"), (["$eq": 5], "unknown operator"),
            (["count": ["$gt": 1, "lt": 5]], "a field \"lt\" among operators"),
            (["$and": []], "$and that is not"), (["$or": ["a": 1]], "$or that is not"),
            (["$and": [5]], "$and that is not"),
            (["$not": [["a": 1]]], "$not that is not"), (["a": ["$not": 5]], "$not that is not"),
            (["a": ["$not": [:]]], "$not that is not"), (["a": ["$not": ["b": 1]]], "$not that is not"),
            (["a": ["$exists": 1]], "$exists that is not"), (["a": ["$in": 5]], "$in that is not"),
            (["a": ["$gt": [1]]], "$gt that is not"), (["a": ["$lt": nil]], "$lt that is not"),
            (["": 1], "a path that is none"), (["a..b": 1], "a path that is none"), ([".a": 1], "a path that is none"),
            (["a.$b": 1], "a $ at the front"),
            ([String(repeating: "a", count: 257): 1], "a path that is none"),
            ([String(repeating: "a.", count: 16) + "a": 1], "a path that is none"),
            (["a": ["$in": .array(Array(repeating: 1, count: 257))]], "$in that is not"),
        ] as [(JSONObject, String)])
    func whatIsNoFilterIsRefused(filter: JSONObject, problem: String) throws {
        let error = try #require(throws: APIError.self) { try QueryFilterReader.read(filter) }
        #expect(error.code == (problem.hasPrefix("unknown operator") ? .filterUnknownOperator : .filterInvalid))
        #expect(error.message.hasPrefix("filter has \(problem)") || error.message.contains(problem), "\(error.message)")
    }

    @Test func depthAndSizeAreBounded() throws {
        func nested(_ depth: Int) -> JSONObject {
            (1..<depth).reduce(["a": 1] as JSONObject) { inner, _ in ["$not": .object(inner)] }
        }
        _ = try QueryFilterReader.read(nested(QueryFilterReader.maximumDepth))
        #expect(throws: APIError.self) { try QueryFilterReader.read(nested(QueryFilterReader.maximumDepth + 1)) }
        func wide(_ count: Int) -> JSONObject {
            ["$or": .array((0..<count).map { .object(["a": .integer(Int64($0))]) })]
        }
        _ = try QueryFilterReader.read(wide(QueryFilterReader.maximumConditions))
        #expect(throws: APIError.self) { try QueryFilterReader.read(wide(QueryFilterReader.maximumConditions + 1)) }
    }

    @Test func textGoesByItsBytes() throws {
        // Composed and decomposed: one text to Swift, two to the store.
        #expect(!JSONOrder.areSame("\u{e9}", "e\u{301}"))
        #expect(JSONOrder.compare("e\u{301}", "\u{e9}") < 0)
        #expect(JSONOrder.compare("Z", "a") < 0)
    }

    @Test func numbersAreNeverRounded() {
        let large = Int64(1) << 53
        #expect(JSONOrder.compare(.integer(large + 1), .number(Double(large))) > 0)
        #expect(JSONOrder.compare(.integer(large), .number(Double(large))) == 0)
        #expect(JSONOrder.compare(.integer(.max), .number(0x1p63)) < 0)
        #expect(JSONOrder.compare(.integer(.min), .number(-0x1p63)) == 0)
        #expect(JSONOrder.compare(.integer(.min), .number(-0x1p64)) > 0)
        #expect(JSONOrder.compare(.integer(-1), .number(-1.5)) > 0)
        #expect(JSONOrder.compare(.integer(1), .number(1.5)) < 0)
        #expect(JSONOrder.compare(.number(-1.5), .integer(-1)) < 0)
    }

    @Test func kindsStandInOneOrder() {
        let ranked: [JSONValue] = [nil, 1, 2.5, "a", [:], ["a": 1], [], [1], [1, 2], false, true]
        for (left, one) in ranked.enumerated() {
            for (right, other) in ranked.enumerated() {
                #expect(JSONOrder.compare(one, other).signum() == (left - right).signum(), "\(one) \(other)")
            }
        }
        #expect(JSONOrder.areSame(["a": 1, "b": 2], ["b": 2, "a": 1.0]))
    }
}
