import TestSupport

@testable import AnyServer

/// A server with a ``TestAPI`` for the time of one test.
struct TestServer: Sendable {
    let api: TestAPI
    let server: HTTPServer

    func client() throws -> RawClient { try RawClient(server.address) }

    /// One request on a connection of its own.
    func request(
        _ method: String, _ target: String, headers: [String] = [], body: String? = nil
    ) async throws -> RawResponse {
        let client = try client()
        defer { client.close() }
        await client.send(Self.text(method, target, headers: headers, body: body))
        return try await client.response(toHead: method == "HEAD")
    }

    static func text(_ method: String, _ target: String, headers: [String] = [], body: String? = nil) -> String {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1"] + headers
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        return lines.map { $0 + "\r\n" }.joined() + "\r\n" + (body ?? "")
    }
}

/// Runs a test against a server on a port of its own, and stops the server however the test ends.
func withServer(
    at address: ListenAddress = ListenAddress(port: 0), limits: HTTPLimits? = nil,
    clock: some Clock<Duration> = ContinuousClock(), browsers: BrowserPolicy = BrowserPolicy(),
    api: TestAPI = TestAPI(),
    _ test: (TestServer) async throws -> Void
) async throws {
    let server = try await HTTPServer.start(
        at: address, router: try api.router(browsers: browsers),
        limits: limits ?? (clock is ContinuousClock ? .patient : HTTPLimits()), clock: clock,
        onAccess: { record in api.change { $0.records.append(record) } })
    do {
        try await test(TestServer(api: api, server: server))
    } catch {
        api.releaseWaits()
        await server.stop(grace: .zero)
        throw error
    }
    api.releaseWaits()
    await server.stop(grace: .zero)
}

extension HTTPLimits {
    /// For tests that are not about time: handlers share the pool with every other test, and may wait long for it.
    static let patient = {
        var limits = HTTPLimits()
        limits.requestTime = .seconds(240)
        limits.handlerTime = .seconds(240)
        limits.responseTime = .seconds(240)
        return limits
    }()
}
