import Locks

@testable import AnyServer

/// A small API with a route of every kind, and the state behind it.
final class TestAPI: RequestGate {
    struct State {
        var isAccountRunning = true
        var controlToken: ControlToken?
        var clientToken: ClientToken?
        var tokens: [String] = []
        var streams: [EventStream] = []
        var endedStreams = 0
        var faults: [String] = []
        var records: [AccessRecord] = []
        var waits: [CheckedContinuation<Void, Never>] = []
        var cancelledWaits = 0
    }

    struct Secret: Error {
        let path = "/root/.any/wallet.key"
    }

    private let state = SystemLock(State())
    /// Tells a test that something in `state` changed.
    let news = AsyncSignal()

    var isAccountRunning: Bool { state.withLock { $0.isAccountRunning } }
    var clientToken: ClientToken? { state.withLock { $0.clientToken } }
    var controlToken: ControlToken? { state.withLock { $0.controlToken } }

    @discardableResult
    func change<T: Sendable>(_ body: (inout State) -> T) -> T {
        let result = state.withLock { body(&$0) }
        news.fire()
        return result
    }

    func read<T: Sendable>(_ body: (State) -> T) -> T { state.withLock { body($0) } }

    static let pushToken = Schema.named(
        "PushToken",
        .object([
            .required("platform", .oneOf(["ios", "android"])),
            .required("token", .string(maxBytes: 4096, isEmptyAbsent: true)),
        ]))
    static let pushDisabled = ErrorCode("push.disabled", .conflict)

    var routes: [Route] {
        [
            Route(
                .get, "/v1/health", summary: "Whether the server runs.", access: .open,
                responses: [.json(.ok, .object([.required("status", .oneOf(["ok"]))]))],
                handler: { _ in .json(["status": "ok"]) }),
            Route(
                .post, "/v1/push/token", summary: "Registers a device's token.", body: Self.pushToken,
                responses: [.noContent], errors: [Self.pushDisabled],
                handler: { [self] request in
                    guard request.body.string("token") != "disabled" else {
                        throw APIError(Self.pushDisabled, "push notifications are not configured on this server")
                    }
                    change { $0.tokens.append(request.body.string("token") ?? "") }
                    return .noContent
                }),
            Route(
                .get, "/v1/spaces", summary: "Lists spaces.",
                query: [
                    QueryParameter("status", .oneOf(["active", "deleted"])), QueryParameter("limit", .integer(1...9)),
                ],
                responses: [.json(.ok, .object([.required("status", .string()), .optional("limit", .string())]))],
                handler: { request in
                    var body: JSONObject = ["status": .string(request.query("status") ?? "active")]
                    if let limit = request.query("limit") { body["limit"] = .string(limit) }
                    return .json(.object(body))
                }),
            Route(
                .get, "/v1/spaces/:id", summary: "One space.", access: .open,
                responses: [.json(.ok, .object([.required("id", .string())]))],
                handler: { request in .json(["id": .string(request.path("id"))]) }),
            Route(
                .get, "/v1/spaces/:id/objects/:object", summary: "One object.", access: .open, objectIds: ["object"],
                responses: [.json(.ok, .object([.required("object", .string())]))],
                handler: { request in .json(["object": .string(request.path("object"))]) }),
            Route(
                .post, "/v1/spaces/query/subscribe", summary: "Follows a query.",
                body: .object([.optional("limit", .integer(0...1000))] + StreamOptions.fields),
                responses: [.events(snapshot: .anyObject, changes: .array(of: .anyObject))],
                handler: { [self] request in
                    let stream = EventStream(
                        options: StreamOptions(request.body), windowSize: request.body.integer("limit"))
                    stream.onEnd { self.change { $0.endedStreams += 1 } }
                    stream.begin(.snapshot(["records": []]))
                    change { $0.streams.append(stream) }
                    return .events(stream)
                }),
            Route(
                .post, "/v1/wait", summary: "Waits for the test.", access: .open, responses: [.noContent],
                handler: { [self] _ in
                    await withTaskCancellationHandler {
                        await withCheckedContinuation { continuation in change { $0.waits.append(continuation) } }
                    } onCancel: {
                        change { $0.cancelledWaits += 1 }
                        releaseWaits()
                    }
                    try Task.checkCancellation()
                    return .noContent
                }),
            Route(
                .post, "/v1/echo", summary: "Sends the body back.", access: .open, body: .anyObject,
                responses: [.json(.ok, .anyObject)], handler: { .json(.object($0.body)) }),
            Route(
                .get, "/v1/large", summary: "Half a mebibyte.", access: .open, responses: [.json(.ok, .anyObject)],
                handler: { _ in .json(["text": .string(String(repeating: "x", count: 1 << 19))]) }),
            Route(
                .get, "/v1/huge", summary: "More than a sending socket takes.", access: .open,
                responses: [.bytes(type: "text/plain")],
                handler: { _ in
                    HTTPResponse(
                        status: .ok, content: .bytes([UInt8](repeating: 0x78, count: 24 << 20), type: "text/plain"))
                }),
            Route(
                .get, "/v1/fault", summary: "Fails.", access: .open, responses: [.noContent],
                handler: { _ in throw Secret() }),
            Route(
                .post, "/v1/shutdown", summary: "Stops a managed server.", access: .open, needsControlToken: true,
                responses: [.noContent], handler: { _ in .noContent }),
        ]
    }

    func releaseWaits() {
        let waits = state.withLock { state in
            defer { state.waits = [] }
            return state.waits
        }
        for wait in waits { wait.resume() }
    }

    func router(browsers: BrowserPolicy = BrowserPolicy()) throws -> Router {
        try Router(routes: routes, gate: self, browsers: browsers) { fault in
            self.change { $0.faults.append("\(fault.requestId) \(fault.route) \(fault.error)") }
        }
    }

    /// Waits until the state is as a test expects.
    func until(_ condition: @escaping @Sendable (State) -> Bool) async {
        await news.until { self.read(condition) }
    }
}

/// Lets tests wait for a condition that something else makes true.
final class AsyncSignal: Sendable {
    private let waiters = SystemLock<[CheckedContinuation<Void, Never>]>([])

    func fire() {
        let waiting = waiters.withLock { waiters in
            defer { waiters = [] }
            return waiters
        }
        for waiter in waiting { waiter.resume() }
    }

    func until(_ condition: @escaping @Sendable () -> Bool) async {
        while !condition() {
            await withCheckedContinuation { continuation in
                waiters.withLock { $0.append(continuation) }
                // What came true between the question and the entry fires now.
                if condition() { fire() }
            }
        }
    }
}
