internal import Glibc

/// The system's error numbers.
enum SystemCall {
    /// The number that the last failed call left.
    static var lastError: Int32 { errno }

    /// A number as text.
    static func message(_ error: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress, strerror_r(error, start, buffer.count) == 0 else {
                return "error \(error)"
            }
            return String(cString: start)
        }
    }
}
