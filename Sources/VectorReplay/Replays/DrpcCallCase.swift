import AnySyncWire
import PushCrypto

/// A recorded session of calls on one stream: our caller against the recorded answers, our called side against the
/// recorded calls.
struct DrpcCallCase {
    private struct Expected {
        let rpc: String
        let request: [UInt8]
        let recorded: DrpcCall
        /// `nil` when the reference's caller was answered Ok.
        let error: RPCError?
    }

    private let calls: [Expected]
    private let encoding: MessageEncoding

    /// - Parameters:
    ///   - vector: the case.
    ///   - requests: the request messages, by call, when the case does not hold one.
    init(_ vector: JSON, request: (DrpcCall) throws -> [UInt8]) throws {
        encoding = try vector.bool("snappy") ? .snappy : .none
        let results = try vector.array("clientResults")
        let recorded = try DrpcCall.calls(vector)
        try expect(recorded.count, equals: results.count, "calls and results")
        calls = try zip(recorded, results).map { call, result in
            let name = DrpcCall.body(of: .invoke, in: call.client) ?? []
            let error = try result == .null ? nil : RPCError(code: UInt64(result.int("code")), text: result.string("text"))
            return Expected(
                rpc: String(decoding: name, as: UTF8.self), request: try request(call), recorded: call, error: error)
        }
    }

    /// Each call, answered or failed.
    func replayCalls() throws {
        try replayCaller(delaysCloseSend: false)
        try replayCaller(delaysCloseSend: true)
        var server = DRPCServerStream(encoding: encoding)
        for call in calls {
            let events = try feed(call, to: &server)
            guard case .call(let made)? = events.first, events.count == 1 else {
                throw VectorMismatch("expected one call, found \(events)")
            }
            try expect(made.rpc, equals: call.rpc, "rpc")
            try expect(made.request, equals: call.request, "request")
            let written =
                if let error = call.error {
                    server.fail(made.id, with: error)
                } else {
                    server.reply(to: made.id, with: try answer(of: call))
                }
            try compare(written, call.recorded.server, message: try answer(of: call), skippedIds: 0)
            // What the reference's caller still sends for the call.
            var after: [DRPCServerEvent] = []
            for frame in call.recorded.client where frame.header.kind == .close {
                try server.receive(frame.bytes?[...] ?? [], into: &after)
            }
            try expect(after, equals: [], "events after the answer")
        }
    }

    /// Calls whose deadline passes: the caller sends nothing for it, the called side learns it from the stream's end.
    func replayCancelledCalls() throws {
        for call in calls {
            try expect(call.recorded.server.count, equals: 0, "answers")
            var client = DRPCClientStream(encoding: encoding)
            try compare(client.start(call.rpc, request: call.request), call)
            try expect(client.transportEnded(), "the call had not ended")
            var server = DRPCServerStream(encoding: encoding)
            let events = try feed(call, to: &server)
            guard case .call(let made)? = events.first else { throw VectorMismatch("expected a call, found \(events)") }
            var after: [DRPCServerEvent] = []
            server.transportEnded(into: &after)
            try expect(after, equals: [.cancelled(made.id)], "events at the stream's end")
            try expect(server.reply(to: made.id, with: []), equals: [], "written after the stream's end")
        }
    }

    /// - Parameter delaysCloseSend: whether what follows an answer arrives after the next call was started.
    private func replayCaller(delaysCloseSend: Bool) throws {
        var client = DRPCClientStream(encoding: encoding)
        var late: [UInt8] = []
        for call in calls {
            try compare(client.start(call.rpc, request: call.request), call)
            try expect(client.receive(late[...]), equals: nil, "outcome by what is left of the call before")
            late = []
            var outcomes: [DRPCOutcome] = []
            for frame in call.recorded.server {
                guard let bytes = frame.bytes else { throw VectorMismatch("the case does not hold an answer") }
                if delaysCloseSend, !outcomes.isEmpty {
                    late += bytes
                } else if let outcome = try client.receive(bytes[...]) {
                    outcomes.append(outcome)
                }
            }
            let expected =
                if let error = call.error { DRPCOutcome.failure(error) } else { DRPCOutcome.message(try answer(of: call)) }
            try expect(outcomes, equals: [expected], "outcome")
        }
    }

    private func answer(of call: Expected) throws -> [UInt8] {
        guard call.error == nil else { return [] }
        guard let body = DrpcCall.body(of: .message, in: call.recorded.server) else {
            throw VectorMismatch("the case does not hold an answer")
        }
        return try decode(body)
    }

    private func decode(_ body: [UInt8]) throws -> [UInt8] {
        switch encoding {
        case .none: body
        case .snappy: try SnappyBlock.decompress(body[...], limit: DRPCLimits().maximumMessageSize)
        }
    }

    /// Hands a call to the called side: as recorded, or as our caller writes it when the case does not hold it.
    private func feed(_ call: Expected, to server: inout DRPCServerStream) throws -> [DRPCServerEvent] {
        var events: [DRPCServerEvent] = []
        let frames = call.recorded.client.filter { $0.header.kind != .close }
        let recorded = frames.compactMap(\.bytes)
        if recorded.count == frames.count {
            for bytes in recorded { try server.receive(bytes[...], into: &events) }
        } else {
            var client = DRPCClientStream(encoding: encoding)
            try server.receive(client.start(call.rpc, request: call.request)[...], into: &events)
        }
        return events
    }

    /// Compares what our caller wrote with what the reference's wrote; the close after the answer is optional, metadata is
    /// not ours to send.
    private func compare(_ written: [UInt8], _ call: Expected) throws {
        let kinds: [DRPCKind] = [.invoke, .message, .closeSend]
        let frames = call.recorded.client.filter { kinds.contains($0.header.kind) }
        let skipped = (frames.first?.header.message ?? 1) - 1
        try compare(written, frames, message: call.request, skippedIds: skipped)
    }

    private func compare(
        _ written: [UInt8], _ recorded: [DrpcFrame], message: [UInt8], skippedIds: UInt64
    ) throws {
        let found = try DrpcFrame.frames(in: written)
        if encoding == .snappy {
            // Another compressor gives other bytes, which may also be cut elsewhere.
            let pieces = found.filter { $0.header.kind == .message }
            if !pieces.isEmpty {
                let body = DrpcCall.body(of: .message, in: found) ?? []
                try expect(decode(body), equals: message, "message, decompressed")
                let areFull = pieces.dropLast().allSatisfy { Int($0.header.length) == DRPCPacket.maximumFrameLength }
                try expect(areFull && pieces.map(\.header.isDone).last == true, "the message is cut into full frames")
            }
        }
        let isComparable = { (frame: DrpcFrame) in encoding == .none || frame.header.kind != .message }
        let (ours, theirs) = (found.filter(isComparable), recorded.filter(isComparable))
        try expect(ours.count, equals: theirs.count, "frames written")
        for (frame, wanted) in zip(ours, theirs) {
            var header = frame.header
            if encoding == .none { header.message += skippedIds } else { header.message = wanted.header.message }
            try expect(header, equals: wanted.header, "header written")
            if let data = wanted.data { try expect(frame.data, equals: data, "data written") }
            if let hash = wanted.dataHash { try expect(Digest.sha256(frame.data ?? []), equals: hash, "dataSha256 written") }
        }
        try expect(
            found.map(\.header.kind).first, equals: recorded.map(\.header.kind).first, "kind of the first packet")
        try expect(
            found.contains { $0.header.kind == .message }, equals: recorded.contains { $0.header.kind == .message },
            "whether there is a message")
    }
}
