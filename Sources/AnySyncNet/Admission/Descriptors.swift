internal import Glibc

/// How many files and sockets this process may have open.
public enum Descriptors {
    /// Raises the soft limit to the hard one, as far as the system allows. For programs, which own their process; a library
    /// leaves the limits of its host alone.
    public static func raiseLimit() {
        var limits = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0, limits.rlim_cur < limits.rlim_max
        else {
            return
        }
        limits.rlim_cur = limits.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    }

    /// The soft limit.
    package static var limit: Int {
        var limits = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return 1024 }
        return Int(clamping: limits.rlim_cur)
    }

    /// How many are open now, about.
    package static var openCount: Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // "." and "..", and the folder itself.
        return max(0, count - 3)
    }

    /// How many may still be opened.
    package static var available: Int { max(0, limit - openCount) }
}
