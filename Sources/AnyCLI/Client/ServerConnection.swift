import AnyServer
import Glibc

/// The way to the server that a command's options name.
struct ServerConnection: Sendable {
    let address: ServerAddress
    /// How long an answer may take.
    let timeout: Duration
    private let controlToken: String?
    private let clientToken: ClientToken?
    private let isVerbose: Bool
    private let expected: ExpectedAccount?

    // The server's answers are far smaller; a stranger's may be anything.
    private static let answerLimit = 64 << 20
    // Three keepalives of the server (any-api.md, "SSE") that did not come.
    private static let silence = 75

    init(_ values: Values) throws(CommandFailure) {
        timeout = try Self.timeout(values)
        controlToken = values.option(.controlToken) ?? Environment[ControlToken.variable]
        if let controlToken, !controlToken.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) || controlToken.isEmpty {
            throw CommandFailure("the control token is not of visible ASCII characters")
        }
        isVerbose = values.flag(.verbose)
        (address, expected) = try ServerAddress.find(values)
        try address.checkOwner()
        // Whoever names the server needs no configuration; with none there is no token to show.
        let tokenFile = (try? LocalServer.configuration())?.listenTokenFile.value
        do throws(ClientToken.Failure) {
            if let tokenFile { clientToken = try ClientToken.read(tokenFile) } else { clientToken = nil }
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// The way to a server that answers at an address.
    init(address: ServerAddress) {
        self.address = address
        timeout = .seconds(30)
        controlToken = nil
        clientToken = nil
        isVerbose = false
        expected = nil
    }

    /// How long an answer may take, by a command's options.
    static func timeout(_ values: Values) throws(CommandFailure) -> Duration {
        let text = values.option(.timeout) ?? "30s"
        guard let timeout = DurationText.parse(text), timeout >= .milliseconds(1), timeout <= .seconds(86_400) else {
            throw CommandFailure("option --timeout: \"\(text)\" is no duration, such as 30s or 2m, of at most 24h")
        }
        return timeout
    }

    /// Sends a request and waits for the whole answer.
    ///
    /// - Throws: when there is no answer. One that says no is an answer.
    func send(_ request: ServerRequest) throws(CommandFailure) -> ServerReply {
        try checkAccount()
        return try exchange(request)
    }

    private func checkAccount() throws(CommandFailure) {
        guard let expected, expected.mustAsk() else { return }
        let reply = try exchange(ServerRequest(.get, "/v1/health"))
        // A server that does not say so has its say about the request itself.
        guard reply.status == 200, let account = try reply.object().string("account") else { return }
        try expected.check(account, at: address)
    }

    private func exchange(_ request: ServerRequest) throws(CommandFailure) -> ServerReply {
        do throws(CurlTransfer.Failure) {
            let transfer = try transfer(request, accept: "application/json", wait: .total(milliseconds: milliseconds))
            let body = try transfer.answer(limit: Self.answerLimit)
            note("< \(transfer.status) \(HTTPStatus(transfer.status).reason), \(body.count) bytes")
            return ServerReply(status: transfer.status, body: body)
        } catch {
            throw failure(error)
        }
    }

    /// Sends a request and waits for the whole answer, or until the user has had enough.
    ///
    /// - Parameter interrupt: a descriptor that can be read then.
    /// - Returns: `nil` when that came first.
    /// - Throws: as ``send(_:)``.
    func send(_ request: ServerRequest, interrupt: Int32) throws(CommandFailure) -> ServerReply? {
        do throws(CurlTransfer.Failure) {
            let transfer = try transfer(request, accept: "application/json", wait: .total(milliseconds: milliseconds))
            var body: [UInt8] = []
            var isTooLarge = false
            let isWhole = try transfer.stream(interrupt: interrupt, output: STDOUT_FILENO) { bytes in
                body.append(contentsOf: bytes)
                isTooLarge = body.count > Self.answerLimit
                return !isTooLarge
            }
            if isTooLarge { throw .tooLarge }
            return isWhole ? ServerReply(status: transfer.status, body: body) : nil
        } catch {
            throw failure(error)
        }
    }

    /// Sends a request and hands on the events of the answer as they come.
    ///
    /// - Parameters:
    ///   - interrupt: a descriptor that can be read when the user has had enough.
    ///   - take: gets each event; `false` ends the stream.
    /// - Returns: whether the stream ended by itself.
    /// - Throws: when there is no stream.
    func follow(
        _ request: ServerRequest, interrupt: Int32, _ take: @escaping (ServerEvent) -> Bool
    ) throws(CommandFailure) -> Bool {
        try checkAccount()
        var reader = ServerEventReader()
        var refusal: [UInt8] = []
        var isTooLarge = false
        let hasEnded: Bool
        let status: Int
        do throws(CurlTransfer.Failure) {
            let transfer = try transfer(
                request, accept: "text/event-stream",
                wait: .silence(seconds: Self.silence, connecting: milliseconds))
            hasEnded = try transfer.stream(interrupt: interrupt, output: STDOUT_FILENO) { [unowned transfer] bytes in
                guard transfer.status == 200 else {
                    refusal.append(contentsOf: bytes)
                    return refusal.count <= Self.answerLimit
                }
                do throws(ServerEventReader.TooLarge) { return try reader.read(bytes, take) } catch {
                    isTooLarge = true
                    return false
                }
            }
            status = transfer.status
        } catch {
            // Of a stream that was there, it is the server that ended it.
            if case .cut(let reason) = error {
                throw CommandFailure("the stream was cut: \(reason)", code: .environment)
            }
            if case .timedOut = error, reader.hasBegun {
                throw CommandFailure("the stream was cut: nothing came for \(Self.silence) s", code: .environment)
            }
            throw failure(error)
        }
        if isTooLarge { throw CommandFailure("the stream was cut: an event is larger than any", code: .environment) }
        if hasEnded, status != 200 { throw ServerReply(status: status, body: refusal).refusal }
        return hasEnded
    }

    private func transfer(
        _ request: ServerRequest, accept: String, wait: CurlTransfer.Wait
    ) throws(CurlTransfer.Failure) -> CurlTransfer {
        let url = address.url(request.path.text)
        note("> \(request.method.rawValue) \(url)")
        var headers = ["Accept: \(accept)", "User-Agent: any/\(AnyCommand.version)"]
        // Without a value libcurl leaves the header out, which would be that of a form.
        headers.append(request.body == nil ? "Content-Type:" : "Content-Type: application/json")
        if let clientToken { headers.append("Authorization: \(clientToken.header)") }
        if let controlToken { headers.append("\(ControlToken.header): \(controlToken)") }
        return try CurlTransfer(
            method: request.method.rawValue, url: url, socketPath: address.socketPath, headers: headers,
            body: request.body,
            wait: wait)
    }

    private func failure(_ error: CurlTransfer.Failure) -> CommandFailure {
        switch error {
        case .unreachable:
            CommandFailure(
                "cannot reach server at \(address)\nstart one with `any run`, or name another with --addr",
                code: .unreachable)
        case .timedOut:
            CommandFailure(
                "the server at \(address) did not answer in time; give it more with --timeout", code: .unreachable)
        case .cut(let reason):
            CommandFailure("the connection to the server at \(address) was lost: \(reason)", code: .unreachable)
        case .tooLarge:
            CommandFailure("the server's answer is larger than \(Self.answerLimit >> 20) MiB", code: .environment)
        case .unusable(let reason): CommandFailure("libcurl can not be used: \(reason)", code: .environment)
        }
    }

    private var milliseconds: Int {
        Int(timeout / .milliseconds(1))
    }

    private func note(_ line: String) {
        if isVerbose { Console.note(line) }
    }
}
