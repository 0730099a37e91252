import AnySyncNet

/// One attack over one transport, against a node of its own.
enum Round {
    static func run(_ attack: Attack, over kind: ConnectionKind, _ options: Options) async throws -> Row {
        let folder = try WorkFolder()
        let node = try await NodeProcess(in: folder.path, over: kind, attack.descriptors)
        let spool = SpoolWatch(node.spool, tokens: "watched-")
        defer { spool.stop() }
        let honest = try await HonestClient(node.node)
        do {
            let row = try await measure(attack, kind, node, honest, spool, folder, options)
            await honest.stop()
            node.stop()
            return row
        } catch {
            await honest.stop()
            let log = node.complaints
            if !log.isEmpty { Progress.say("    the node said: \(log.suffix(600))") }
            throw error
        }
    }

    private static func measure(
        _ attack: Attack, _ kind: ConnectionKind, _ node: NodeProcess, _ honest: HonestClient, _ spool: SpoolWatch,
        _ folder: WorkFolder, _ options: Options
    ) async throws -> Row {
        let scale = options.scale
        _ = try await honest.measure(for: scale.warmUp, rate: scale.rate, spool)
        let base = try await honest.measure(for: scale.base, rate: scale.rate, spool)
        guard base.times.count > 0, base.refusedCount == 0 else {
            throw Failure("the honest client is refused without an attack: \(base.refused)")
        }
        var memory = Row.Memory()
        memory.before = node.memory.resident
        node.memory.forgetPeak()
        let attacker = try AttackerProcess(attack, over: kind, node.node, scale, in: folder.path)
        try await attacker.begin()
        let during = try await honest.measure(for: scale.during * attack.stretch, rate: scale.rate, spool)
        var tally = try await attacker.end()
        memory.peak = node.memory.peak
        if attack.isRepeatedAfterRestart {
            try await node.restart()
            let again = try AttackerProcess(attack, over: kind, node.node, scale, in: folder.path)
            try await again.begin()
            tally.merge(try await again.end()) { $0 + $1 }
            // The honest client's connection went with the node; its next call makes another.
            _ = try await honest.measure(for: scale.warmUp, rate: scale.rate, spool)
        }
        let after = try await honest.measure(for: scale.after, rate: scale.rate, spool)
        memory.after = node.memory.resident
        if !node.isRunning { Progress.say("    the node ended; it said: \(node.complaints.suffix(600))") }
        let deliveries = spool.all.count { $0.token == Attack.replayToken }
        return Row(
            attack, kind, base, during, after, memory, attacker: tally, deliveries: deliveries,
            hasEnded: !node.isRunning, options)
    }
}
