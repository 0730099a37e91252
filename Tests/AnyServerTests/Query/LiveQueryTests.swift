import Locks
import Testing

@testable import AnyServer

/// A list of records that tests change, behind live queries.
private final class Board: Sendable {
    let records = SystemLock<[String: JSONObject]>([:])
    private let isFailing = SystemLock(false)
    let live: LiveQueries

    struct Broken: Error {}

    init() {
        live = LiveQueries(firstVersion: 7) { [records, isFailing] dataset in
            if isFailing.withLock({ $0 }) { throw Broken() }
            return ListedRecords(dataset == .account(.spaces) ? Array(records.withLock { $0 }.values) : [])
        }
    }

    func put(_ record: JSONObject) { records.withLock { $0[record.string("id") ?? ""] = record } }
    func fail() { isFailing.withLock { $0 = true } }

    func subscribe(_ body: JSONObject, capacity: Int = 256, drift: Int = 100) async throws -> EventStream {
        let query = try RecordQuery(body, standardSort: QuerySort("id"))
        let options = StreamOptions(mailboxCapacity: capacity, driftBudgetPercent: drift)
        let stream = EventStream(options: options, windowSize: query.limit)
        try await live.subscribe(stream, to: LiveTopic(dataset: .account(.spaces), query: query))
        return stream
    }

    /// Everything left word of has reached the streams.
    func settle() async throws {
        let last = try await subscribe([:])
        last.end()
    }
}

/// What a subscriber makes of its frames.
private struct Copy {
    var records: [String: JSONObject] = [:]
    var order: [String] = []
    var versions: [String] = []
    var reasons: [String] = []
    var closed: String?

    mutating func take(_ stream: EventStream) throws {
        var bytes: [UInt8] = []
        reading: while true {
            switch stream.read(atMost: 1 << 16) {
            case .bytes(let some): bytes += some
            case .nothing, .end: break reading
            }
        }
        for frame in String(decoding: bytes, as: UTF8.self).split(separator: "\n\n") {
            let lines = frame.split(separator: "\n")
            guard lines.count == 2 else { continue }
            let data = try JSONParser.parse(Array(lines[1].dropFirst("data: ".count).utf8))
            try take(String(lines[0].dropFirst("event: ".count)), data)
        }
    }

    private mutating func take(_ event: String, _ data: JSONValue) throws {
        switch event {
        case "snapshot":
            for record in data.object?.array("records") ?? [] { put(record.object ?? [:]) }
        case "changes":
            if let problem = QueryChanges.schema.problem(with: data) { throw problem }
            for change in data.array ?? [] { try apply(change.object ?? [:]) }
        case "closed": closed = data.object?.string("reason")
        default: break
        }
    }

    private mutating func put(_ record: JSONObject) { records[record.string("id") ?? ""] = record }

    private mutating func apply(_ change: JSONObject) throws {
        versions.append(change.string("versionId") ?? "")
        for entry in change.array("removed") ?? [] {
            reasons.append(entry.object?.string("reason") ?? "")
            #expect(records.removeValue(forKey: entry.object?.string("id") ?? "") != nil)
        }
        for (list, isNew) in [("added", true), ("updated", false)] {
            for entry in change.array(list) ?? [] {
                let entry = try #require(entry.object)
                let id = try #require(entry.string("id"))
                #expect((records[id] == nil) == isNew)
                // By the steps alone, and then held to the record as it is said to be.
                var record = JSONValue.object(isNew ? [:] : records[id] ?? [:])
                for step in entry.array("ops") ?? [] { record = try Self.apply(try #require(step.object), to: record) }
                #expect(JSONOrder.areSame(record, try #require(entry["doc"])))
                records[id] = record.object
            }
        }
    }

    private static func apply(_ step: JSONObject, to record: JSONValue) throws -> JSONValue {
        let path = (step.array("path") ?? []).compactMap(\.string)
        // Spelled out: JSONValue has a nil of its own.
        let payload: JSONValue? = step.string("type") == "$set" ? step["payload"] : .none
        return set(payload, at: path[...], in: record)
    }

    private static func set(_ value: JSONValue?, at path: ArraySlice<String>, in record: JSONValue) -> JSONValue {
        guard let name = path.first else { return value ?? .null }
        var object = record.object ?? [:]
        object[name] = path.count == 1 ? value : set(value, at: path.dropFirst(), in: object[name] ?? [:])
        return .object(object)
    }
}

@Suite struct LiveQueryTests {
    @Test func aSubscriberHearsWhatChanges() async throws {
        let board = Board()
        board.put(["id": "a", "n": 1, "in": ["x": 1, "y": 2]])
        let stream = try await board.subscribe(["filter": ["n": ["$lt": 5]], "includeTotal": true])
        board.put(["id": "b", "n": 2])
        board.live.changed(.account(.spaces))
        try await board.settle()
        board.put(["id": "a", "n": 1, "in": ["x": 1, "z": [1]]])
        board.put(["id": "b", "n": 9])
        board.live.changed(.account(.spaces))
        try await board.settle()
        var text = ""
        while case .bytes(let bytes) = stream.read(atMost: 1 << 16) { text += String(decoding: bytes, as: UTF8.self) }
        #expect(
            text == """
                event: ready\ndata: {}\n
                event: snapshot\ndata: {"records":[{"id":"a","n":1,"in":{"x":1,"y":2}}],"total":1,"hasNext":false}\n
                event: changes\ndata: [{"versionId":"0000000000000008","added":[{"id":"b","doc":{"id":"b","n":2},"ops":[\
                {"type":"$set","path":["id"],"payload":"b"},{"type":"$set","path":["n"],"payload":2}]}],"updated":[],\
                "removed":[]}]\n
                event: changes\ndata: [{"versionId":"0000000000000009","added":[],"updated":[{"id":"a","doc":\
                {"id":"a","n":1,"in":{"x":1,"z":[1]}},"ops":[{"type":"$unset","path":["in","y"]},\
                {"type":"$set","path":["in","z"],"payload":[1]}]}],"removed":[{"id":"b","reason":"filtered-out"}]}]\n\n
                """)
        await board.live.close(.deauthorized)
        var copy = Copy()
        try copy.take(stream)
        #expect(copy.closed == "deauthorized")
    }

    @Test func whatLeavesSpendsTheBudgetAndWhatIsDisplacedDoesNot() async throws {
        let board = Board()
        for id in ["b", "c", "d", "e", "f"] { board.put(["id": .string(id), "n": 1]) }
        let stream = try await board.subscribe(["filter": ["n": 1], "limit": 4], drift: 50)
        for id in ["a", "0", "00"] {
            board.put(["id": .string(id), "n": 1])
            board.live.changed(.account(.spaces))
            try await board.settle()
            #expect(stream.isOpen)
        }
        for (id, isOpen) in [("00", true), ("0", true), ("a", false)] {
            if id == "0" { board.put(["id": "0", "n": 2]) } else { board.records.withLock { $0[id] = nil } }
            board.live.changed(.account(.spaces))
            try await board.settle()
            #expect(stream.isOpen == isOpen, "\(id)")
        }
        var copy = Copy()
        try copy.take(stream)
        #expect(copy.closed == "drifted")
        // What made it drift came before.
        #expect(copy.records.keys.sorted() == ["b", "c", "d", "e"])
        #expect(copy.reasons == ["displaced", "displaced", "displaced", "deleted", "filtered-out", "deleted"])
        await board.live.close(.sdkClosed)
    }

    @Test func aSlowSubscriberOverflowsAlone() async throws {
        let board = Board()
        let slow = try await board.subscribe([:], capacity: 16)
        let roomy = try await board.subscribe([:], capacity: 64)
        for number in 0..<17 {
            board.put(["id": .string("r\(number)")])
            board.live.changed(.account(.spaces))
            try await board.settle()
        }
        var slowCopy = Copy()
        try slowCopy.take(slow)
        #expect(slowCopy.closed == "overflow")
        var copy = Copy()
        try copy.take(roomy)
        #expect(copy.closed == nil)
        #expect(copy.records.count == 17)
        await board.live.close(.sdkClosed)
    }

    @Test func aReaderThatFailsEndsItsStreams() async throws {
        let board = Board()
        let stream = try await board.subscribe([:])
        board.fail()
        board.live.changed(.account(.spaces))
        await #expect(throws: Board.Broken.self) { try await board.subscribe([:]) }
        var copy = Copy()
        try copy.take(stream)
        #expect(copy.closed == "sdk_closed")
        await board.live.close(.sdkClosed)
        await #expect(throws: CancellationError.self) { try await board.subscribe([:]) }
    }

    /// Random lists, queries and changes: a copy that is kept by the changes alone is the query's answer at any time.
    @Test(arguments: 0..<16)
    func aCopyIsAlwaysTheAnswer(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let board = Board()
        func value() -> JSONValue {
            switch Int.random(in: 0..<7, using: &random) {
            case 0: nil
            case 1: .bool(.random(using: &random))
            case 2: .number(Double(Int.random(in: 0..<4, using: &random)) / 2)
            case 3: .string(["a", "b", "\u{e9}", "e\u{301}"].randomElement(using: &random) ?? "")
            case 4:
                .array(
                    Array(
                        repeating: .integer(.random(in: 0..<3, using: &random)),
                        count: .random(in: 0..<3, using: &random)))
            case 5: ["x": .integer(.random(in: 0..<3, using: &random)), "y": ["z": .bool(.random(using: &random))]]
            default: .integer(.random(in: 0..<3, using: &random))
            }
        }
        func mutate() {
            let id = "r\(Int.random(in: 0..<12, using: &random))"
            if Int.random(in: 0..<4, using: &random) == 0 { return board.records.withLock { $0[id] = .none } }
            var record = board.records.withLock { $0[id] } ?? ["id": .string(id)]
            let name = ["n", "m", "o"].randomElement(using: &random) ?? "n"
            record[name] = Bool.random(using: &random) ? .some(value()) : .none
            board.put(record)
        }
        for _ in 0..<8 { mutate() }
        let filters: [JSONObject] = [
            [:], ["n": ["$gte": 1]], ["n": ["$exists": true]], ["$or": [["m": "a"], ["o.y.z": true]]],
            ["n": ["$nin": [1, nil]]],
        ]
        let sorts: [[JSONValue]] = [[], ["n"], ["-n", "m"], ["-o.x"], ["-id"]]
        let projections: [JSONValue] = [[], ["n"], ["o.y": 0]]
        var watched: [(query: RecordQuery, stream: EventStream, copy: Copy)] = []
        for _ in 0..<6 {
            var body: JSONObject = [
                "filter": .object(filters.randomElement(using: &random) ?? [:]),
                "sort": .array(sorts.randomElement(using: &random) ?? []),
                "projection": projections.randomElement(using: &random) ?? [],
            ]
            if Bool.random(using: &random) {
                body["limit"] = .integer(.random(in: 1..<6, using: &random))
                body["offset"] = .integer(.random(in: 0..<3, using: &random))
            }
            let query = try RecordQuery(body, standardSort: QuerySort("id"))
            // No budget to spend: the window's size is not told to the stream.
            let stream = EventStream()
            try await board.live.subscribe(stream, to: LiveTopic(dataset: .account(.spaces), query: query))
            watched.append((query, stream, Copy()))
        }
        for _ in 0..<25 {
            for _ in 0..<Int.random(in: 1..<4, using: &random) { mutate() }
            board.live.changed(.account(.spaces))
            try await board.settle()
            let records = Array(board.records.withLock { $0 }.values)
            for index in watched.indices {
                try watched[index].copy.take(watched[index].stream)
                let answer = watched[index].query.result(of: records).records
                let copy = watched[index].copy.records
                #expect(copy.count == answer.count)
                for record in answer {
                    let own = copy[record.string("id") ?? ""].map { JSONValue.object($0) } ?? .null
                    #expect(JSONOrder.areSame(own, .object(record)), "\(own) \(record)")
                }
                // Whole records sort themselves.
                if watched[index].query.projection == .whole {
                    #expect(watched[index].query.sort.sorted(Array(copy.values)).map(\.["id"]) == answer.map(\.["id"]))
                }
            }
        }
        for index in watched.indices {
            #expect(watched[index].copy.versions == watched[index].copy.versions.sorted())
        }
        await board.live.close(.sdkClosed)
    }
}

/// The same numbers for the same seed (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
