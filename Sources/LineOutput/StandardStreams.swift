import Glibc

/// The descriptors 0 to 2 of a process.
package enum StandardStreams {
    /// Puts `/dev/null` in the place of those that whoever started the process has left closed. Called first thing in `main`:
    /// otherwise the next file that is opened becomes standard error, and log lines are written into it.
    ///
    /// Each is opened the wrong way round, so that its use stays an error: data that was asked for and went nowhere must not
    /// look written.
    package static func occupy() {
        for descriptor in STDIN_FILENO...STDERR_FILENO {
            guard fcntl(descriptor, F_GETFD) < 0, errno == EBADF else { continue }
            let opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
            // The lowest free number is the one that is missing.
            guard opened == descriptor else { _exit(2) }
        }
    }
}
