/// The user's wish to end a command that waits: Ctrl-C, or what a service manager sends. Heard from the value's making on; a
/// second signal ends the process at once.
struct Interrupt: Sendable {
    /// Can be read once the user wants to end: for waiting on it together with others.
    let descriptor: Int32

    init() {
        Signals.hear(Signals.ending)
        descriptor = Signals.descriptor
    }
}
