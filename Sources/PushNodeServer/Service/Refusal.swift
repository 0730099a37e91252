package import AnySyncWire
import PushAPI

/// Why a call is refused (protocol.md §4, "RPC error codes").
package struct Refusal: Error, Hashable, Sendable {
    /// What kind of thing is wrong; the name of a counter.
    package let reason: RefusalReason
    /// What was expected, what came and what to do; holds nothing of the request but numbers.
    package let text: String

    init(_ reason: RefusalReason, _ text: String) {
        self.reason = reason
        self.text = text
    }

    /// The answer to the caller.
    package var rpcError: RPCError {
        RPCError(code: reason.code?.rawValue ?? 0, text: text)
    }
}
