internal import CUV

/// Why an event loop could not be made.
public struct LoopError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was attempted.
    public let operation: String
    /// libuv's error, negative.
    public let code: Int32

    public var description: String {
        "\(operation): \(UVError.message(code))"
    }
}

/// libuv's error codes as text.
package enum UVError {
    package static func message(_ code: Int32) -> String {
        String(cString: uv_strerror(code))
    }
}
