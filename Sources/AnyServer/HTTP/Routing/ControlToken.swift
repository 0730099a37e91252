internal import CSodium

/// The secret that the process which manages a server proves itself with. Never shown in a description.
struct ControlToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// The header that carries it.
    static let header = "X-Any-Control-Token"

    private let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Whether `text` is the token, in time that depends on its length only.
    func matches(_ text: String) -> Bool {
        let other = Array(text.utf8)
        return other.count == bytes.count && sodium_memcmp(bytes, other, bytes.count) == 0
    }

    var description: String { "ControlToken" }
    var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
