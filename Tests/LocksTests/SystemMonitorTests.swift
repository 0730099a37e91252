import Glibc
import Locks
import Testing

@Suite struct SystemMonitorTests {
    @Test func aThreadThatWaitsHearsOfAChange() {
        let monitor = SystemMonitor(0)
        SystemThread.start {
            for _ in 0..<3 { monitor.withLock { $0 += 1 } }
        }
        let seen: Int? = monitor.wait { $0 == 3 ? $0 : nil }
        #expect(seen == 3)
    }

    @Test func aWaitEnds() {
        let monitor = SystemMonitor(false)
        #expect(monitor.wait(within: .milliseconds(1)) { $0 ? true : nil } == nil)
        #expect(monitor.wait(within: .zero) { $0 ? nil : true } == true)
        #expect(monitor.wait(within: .seconds(-1)) { $0 ? true : nil } == nil)
    }

    @Test func aThreadTakesNoSignals() {
        let blocked = SystemMonitor([Int32]())
        let wanted = [SIGPIPE, SIGXFSZ, SIGTERM, SIGHUP]
        SystemThread.start {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            blocked.withLock { found in found = wanted.filter { sigismember(&mask, $0) == 1 } }
        }
        #expect(blocked.wait { $0.isEmpty ? nil : $0 } == wanted)
    }
}
