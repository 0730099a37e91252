import Testing

@testable import AnyServer

@Suite struct RecordQueryTests {
    private static let records: [JSONObject] = [
        ["id": "c", "rank": 2, "name": "x", "_ver": ["id": "3"]],
        ["id": "a", "rank": 1, "_ver": ["id": "1"]],
        ["id": "d", "rank": "high", "_ver": ["id": "4"]],
        ["id": "b", "rank": 2, "name": "y", "_ver": ["id": "2"]],
    ]

    private func query(_ body: JSONObject) throws -> QueryResult {
        try Schema.object(RecordQuery.fields).checkBody(.object(body))
        return try RecordQuery(body, standardSort: QuerySort("_ver", "id")).result(of: Self.records)
    }

    private func ids(_ body: JSONObject) throws -> String {
        try query(body).records.compactMap { $0.string("id") }.joined()
    }

    @Test func recordsComeInOrder() throws {
        #expect(try ids([:]) == "abcd")
        #expect(try ids(["sort": ["-_ver.id"]]) == "dcba")
        #expect(try ids(["sort": ["rank"]]) == "abcd")
        #expect(try ids(["sort": ["-rank"]]) == "dbca")
        #expect(try ids(["sort": ["rank", "-name"]]) == "abcd")
        #expect(try ids(["sort": ["-rank", "-id"]]) == "dcba")
        #expect(try ids(["sort": ["name"]]) == "adcb")
        #expect(try ids(["sort": ["absent"]]) == "abcd")
    }

    @Test func aWindowIsCutOut() throws {
        #expect(try ids(["limit": 2]) == "ab")
        #expect(try ids(["limit": 2, "offset": 1]) == "bc")
        #expect(try ids(["limit": 2, "offset": 9]) == "")
        #expect(try ids(["limit": 0]) == "abcd")
        #expect(try ids(["offset": 3]) == "d")
        let result = try query(["limit": 2, "offset": 1, "includeTotal": true, "filter": ["rank": ["$exists": true]]])
        #expect(result.total == 4)
        #expect(result.hasNext == true)
        #expect(try query(["limit": 4, "includeTotal": true]).hasNext == false)
        #expect(try query(["limit": 1]).json.object?.names == ["records"])
        #expect(try query([:]).json.object?.names == ["records"])
        #expect(try query(["limit": 1, "includeTotal": true]).json.object?.names == ["records", "total", "hasNext"])
    }

    @Test func aProjectionTakesOrLeavesFields() throws {
        func first(_ projection: JSONValue) throws -> JSONObject? {
            try query(["projection": projection, "filter": ["id": "c"]]).records.first
        }
        #expect(try first(["name"]) == ["id": "c", "name": "x"])
        #expect(try first(["_ver.id"]) == ["id": "c", "_ver": ["id": "3"]])
        #expect(try first(["_ver.other", "absent"]) == ["id": "c", "_ver": [:]])
        #expect(try first(["name": 1, "rank": true]) == ["id": "c", "rank": 2, "name": "x"])
        #expect(try first(["name": 0, "_ver.id": false]) == ["id": "c", "rank": 2, "_ver": [:]])
        #expect(try first(["name": -1])?.names == ["id", "rank", "_ver"])
        // The deepest decides, and of a mixture what nothing is said of is left out.
        #expect(try first(["_ver": 0, "_ver.id": 1]) == ["id": "c", "_ver": ["id": "3"]])
        #expect(try first(["_ver": 1, "_ver.id": 0, "rank": 0]) == ["id": "c", "_ver": [:]])
        #expect(try first([])?.count == 4)
        let nested: JSONObject = ["id": "n", "list": [["a": 1, "b": 2], 5], "tags": ["x"]]
        #expect(
            try QueryProjection(["list.a": 0, "tags.x": 0]).apply(to: nested)
                == ["id": "n", "list": [["b": 2], 5], "tags": ["x"]])
        #expect(try QueryProjection(["list.a"]).apply(to: nested) == ["id": "n", "list": [["a": 1]]])
    }

    @Test(
        arguments: [
            ["sort": ["a", ""]], ["sort": ["-"]], ["sort": ["$a"]], ["sort": "a"], ["sort": [1]], ["limit": -1],
            ["limit": 10_001], ["limit": 1.5], ["limit": "1"], ["offset": -1], ["offset": 1_000_001],
            ["includeTotal": 1],
            ["projection": 1], ["projection": [1]], ["projection": ["a": 2]], ["projection": ["id": -1]],
            ["projection": ["id": 0]],
            ["projection": [""]], ["projection": ["a": "1"]], ["filter": []], ["filter": "x"],
            ["sort": .array(Array(repeating: "a", count: 17))],
            ["projection": .array(Array(repeating: "a", count: 129))],
        ] as [JSONObject])
    func whatIsNoQueryIsRefused(body: JSONObject) throws {
        let error = try #require(throws: APIError.self) { try query(body) }
        #expect(error.code == .invalidField)
    }
}
