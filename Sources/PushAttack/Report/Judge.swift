/// Whether a node held.
enum Judge {
    /// How much slower an attack may make honest calls and deliveries.
    private static let slowdown = 5.0
    /// The least that a base of deliveries counts, in milliseconds: they wait for the disk, which others use too.
    private static let lagFloor = 100.0
    /// How much the node may grow while it is attacked, and how much of that it may keep, in MiB.
    private static let growth = 256.0
    private static let kept = 96.0

    static let rules = """
          No honest call is refused and no fresh client is turned away, while it is attacked and afterwards. The 99th
          percentile of honest calls stays within 5 times its base of the same run; a base counts 5 ms at least
          (--floor), for on a busy machine one late wake-up is as long. Each accepted notification is delivered, the
          99th percentile of the time that takes within 5 times its base, which counts 100 ms at least. The node grows
          by at most 256 MiB, and keeps at most 96 MiB of it. A repeated message is delivered once.
        """

    static func failures(
        _ attack: Attack, _ base: Row.Honest, _ during: Row.Honest, _ after: Row.Honest, _ memory: Row.Memory,
        deliveries: Int, floor: Double
    ) -> [String] {
        var failures: [String] = []
        for (name, phase) in [("during", during), ("after", after)] {
            let refused = phase.refused.values.reduce(0, +)
            if refused > 0 { failures.append("\(refused) of \(phase.calls) honest calls refused \(name)") }
            let away = phase.turnedAway.values.reduce(0, +)
            if away > 0 { failures.append("\(away) of \(phase.newcomers) fresh clients turned away \(name)") }
            if phase.undelivered > 0 {
                failures.append("\(phase.undelivered) honest notifications not delivered \(name)")
            }
        }
        let limit = slowdown * max(base.p99, floor)
        if during.p99 > limit { failures.append("p99 \(Text.number(during.p99)) ms, over \(Text.number(limit)) ms") }
        let lagLimit = slowdown * max(base.lagP99, lagFloor)
        if during.lagP99 > lagLimit {
            failures.append("deliveries' p99 \(Text.number(during.lagP99)) ms, over \(Text.number(lagLimit)) ms")
        }
        if memory.peak > memory.before + growth {
            failures.append("grew by \(Text.number(memory.peak - memory.before)) MiB")
        }
        if memory.after > memory.before + kept {
            failures.append("kept \(Text.number(memory.after - memory.before)) MiB")
        }
        if let wanted = attack.deliveriesOfEach, deliveries != wanted {
            failures.append("the repeated message was delivered \(deliveries) times")
        }
        return failures
    }
}
