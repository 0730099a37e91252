import Dispatch
import Foundation
import Glibc
import Locks

/// An HTTP server that says exactly what a test tells it to, and remembers what it was asked.
final class ScriptedServer: Sendable {
    /// What a client asked.
    struct Request: Sendable {
        let method: String
        let target: String
        let headers: [String: String]
        let body: String
    }

    /// What is written back before the connection is closed.
    enum Answer: Sendable {
        /// A whole response.
        case response(Int, String, type: String = "application/json")
        /// Bytes as they are, and then the end.
        case bytes(String)
        /// Bytes, and then nothing until the client goes.
        case open(String)
        /// Nothing until the client goes.
        case silence

        static let noContent = Answer.response(204, "")

        static func error(_ status: Int, _ code: String, _ message: String) -> Answer {
            .response(status, #"{"error":{"code":"\#(code)","message":"\#(message)"}}"#)
        }

        /// The head of a stream, and events.
        static func events(_ text: String, staysOpen: Bool = false) -> Answer {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
            return staysOpen ? .open(head + text) : .bytes(head + text)
        }
    }

    private struct State {
        var requests: [Request] = []
        var isStopped = false
    }

    let port: UInt16
    private let listener: Int32
    private let state = SystemLock(State())
    private let answer: @Sendable (Request) -> Answer

    /// Where the server listens.
    var address: String { "127.0.0.1:\(port)" }
    var requests: [Request] { state.withLock { $0.requests } }

    init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, length)
                getsockname(listener, $0, &length)
            }
        }
        listen(listener, 16)
        port = UInt16(bigEndian: name.sin_port)
        let thread = DispatchQueue(label: "scripted-server")
        thread.async { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self, !self.state.withLock({ $0.isStopped }) else {
                    if connection >= 0 { close(connection) }
                    self?.state.withLock { $0.isStopped = true }
                    break
                }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                DispatchQueue(label: "scripted-connection").async { self.serve(connection) }
            }
            close(listener)
        }
    }

    /// Always the same answer.
    convenience init(_ answer: Answer) throws {
        try self.init { _ in answer }
    }

    /// Ends the thread that waits for connections.
    func stop() {
        state.withLock { state in
            // Once only: the number may be another's descriptor afterwards.
            if !state.isStopped { shutdown(listener, Int32(SHUT_RDWR)) }
            state.isStopped = true
        }
    }

    deinit { stop() }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        guard let request = Self.read(connection) else { return }
        state.withLock { $0.requests.append(request) }
        switch answer(request) {
        case .response(let status, let body, let type):
            let head = "HTTP/1.1 \(status) Reason\r\nContent-Type: \(type)\r\nConnection: close\r\n"
            let length = status == 204 ? "" : "Content-Length: \(body.utf8.count)\r\n"
            Self.write(head + length + "\r\n" + body, to: connection)
        case .bytes(let text): Self.write(text, to: connection)
        case .open(let text):
            Self.write(text, to: connection)
            Self.waitForEnd(of: connection)
        case .silence: Self.waitForEnd(of: connection)
        }
    }

    private static func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let lines = text[..<end.lowerBound].split(separator: "\r\n")
                let words = lines[0].split(separator: " ").map(String.init)
                let headers = lines.dropFirst().map { $0.split(separator: ":", maxSplits: 1) }
                let fields = Dictionary(
                    headers.map { ($0[0].lowercased(), $0[1].drop { $0 == " " }.description) }, uniquingKeysWith: { $1 }
                )
                let body = text[end.upperBound...]
                if body.utf8.count >= Int(fields["content-length"] ?? "0") ?? 0 {
                    return Request(method: words[0], target: words[1], headers: fields, body: String(body))
                }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    private static func write(_ text: String, to connection: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func waitForEnd(of connection: Int32) {
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
    }
}

/// Runs a test against a server that answers so.
func withScriptedServer(
    _ answer: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Answer,
    _ test: (ScriptedServer) async throws -> Void
) async throws {
    let server = try ScriptedServer(answer)
    defer { server.stop() }
    try await test(server)
}

extension ScriptedServer {
    /// A run of the tool that asks this server.
    func run(
        _ words: [String], environment: [String: String] = ["HOME": "/nonexistent"], input: String? = nil
    ) async throws -> AnyProcess {
        try await AnyProcess.run(["--addr", address] + words, environment: environment, input: input)
    }

    func run(_ words: String...) async throws -> AnyProcess { try await run(words) }
}
