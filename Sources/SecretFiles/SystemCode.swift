#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The `errno` that a system call failed with.
package struct SystemCode: Error, Hashable {
    package let rawValue: CInt

    package init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// What the last system call of this thread failed with.
    package static var last: SystemCode { SystemCode(rawValue: errno) }

    package static let exists = SystemCode(rawValue: EEXIST)
    package static let notFound = SystemCode(rawValue: ENOENT)
    static let wouldBlock = SystemCode(rawValue: EWOULDBLOCK)
    static let interrupted = SystemCode(rawValue: EINTR)
    static let noProcess = SystemCode(rawValue: ESRCH)
    static let noSpace = SystemCode(rawValue: ENOSPC)
    static let overflow = SystemCode(rawValue: EOVERFLOW)

    /// The system's words for it, and what to do where that is clear.
    package var reason: String {
        let words = String(cString: strerror(rawValue))
        switch rawValue {
        case EACCES, EPERM: return words + "; give this user access to it, or name another place"
        case ENOSPC, EDQUOT: return words + "; make room on the disk"
        case EROFS: return words + "; name a place that can be written to"
        default: return words
        }
    }
}

/// Makes a system call until no signal interrupts it.
func retrying<Result: SignedInteger>(_ call: () -> Result) throws(SystemCode) -> Result {
    while true {
        let result = call()
        if result >= 0 { return result }
        let code = SystemCode.last
        if code != .interrupted { throw code }
    }
}
