@testable import AnyServer

/// A response as it came.
struct RawResponse: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    private static let headEnd = Array("\r\n\r\n".utf8)

    /// The response at the front of `bytes` and its length, `nil` while it is not complete.
    static func first(in bytes: [UInt8], isHead: Bool = false) -> (response: RawResponse, length: Int)? {
        guard let end = bytes.position(of: headEnd) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        guard let words = lines.first?.split(separator: " "), words.count >= 2, let status = Int(words[1])
        else { return nil }
        let headers = HTTPHeaders(
            lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return .init(name: String(parts[0]), value: String(parts[1].drop { $0 == " " }))
            })
        let isBodiless = isHead || status == 204 || status == 100
        let count = isBodiless ? 0 : Int(headers["Content-Length"] ?? "0") ?? 0
        let start = end + headEnd.count
        guard bytes.count >= start + count else { return nil }
        let body = Array(bytes[start..<(start + count)])
        return (RawResponse(status: status, headers: headers, body: body), start + count)
    }

    var json: JSONValue? { try? JSONParser.parse(body) }
    var text: String { String(decoding: body, as: UTF8.self) }
    private var error: JSONObject? { json?.object?.object("error") }
    /// The parts of an error envelope.
    var errorCode: String? { error?.string("code") }
    var errorMessage: String? { error?.string("message") }
    var errorDetails: JSONObject? { error?.object("details") }
}

extension [UInt8] {
    /// Where `wanted` stands first, at or behind `start`.
    func position(of wanted: [UInt8], from start: Int = 0) -> Int? {
        guard count - start >= wanted.count else { return nil }
        return (start...(count - wanted.count)).first { start in
            self[start] == wanted[0] && self[start..<(start + wanted.count)].elementsEqual(wanted)
        }
    }
}
