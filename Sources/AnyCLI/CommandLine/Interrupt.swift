import Dispatch
import Glibc

/// The user's wish to end: Ctrl-C, or what a service manager sends.
enum Interrupt {
    /// Waits for SIGINT or SIGTERM. A second one ends the process at once.
    static func wait() async {
        let queue = DispatchQueue(label: "anypush.interrupt")
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let sources = [SIGINT, SIGTERM].map { number in
            // The default action would end the process before the source hears of it.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { continuation.finish() }
            source.resume()
            return source
        }
        for await _ in stream {}
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        for source in sources { source.cancel() }
    }
}
