import Glibc

/// The descriptors that a process may have open.
enum Descriptors: Sendable {
    case asTheyAre
    /// A soft limit, with the hard limit as it is.
    case soft(Int)

    /// The words of a shell that limits itself before it becomes the program.
    var shell: [String] {
        switch self {
        case .asTheyAre: ["sh", "-c", "exec \"$@\"", "sh"]
        case .soft(let count): ["sh", "-c", "ulimit -S -n \(count) && exec \"$@\"", "sh"]
        }
    }

    /// Lets this process have as many as the system allows: an attacker's own limit must not spare the node.
    static func raise() throws {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur >= 8192 else {
            throw Failure(
                "too few descriptors are allowed, \(limit.rlim_cur): raise the hard limit to 8192 (ulimit -Hn)")
        }
    }
}

/// Why the attacks could not be played.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
