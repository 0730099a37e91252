import CProcess
import Glibc

/// Core dumps of this process, which would hold the keys that it works with.
enum CoreDumps {
    /// The environment variable by which a developer allows them; any text but an empty one does.
    static let variable = "ANY_ALLOW_CORE_DUMPS"

    /// Allows none, unless the developer does. Other processes of the same user cannot read the memory of this one either
    /// (prctl(2), "PR_SET_DUMPABLE").
    static func forbid() {
        guard Environment[variable] == nil else { return }
        _ = cprocess_set_dumpable(0)
        var none = rlimit()
        // Both, so that nothing that this process starts raises it again.
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
