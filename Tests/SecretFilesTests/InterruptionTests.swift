import Glibc
import SecretFiles
import Synchronization
import TestSupport
import Testing

/// What is on the disk when a write fails or its process dies at any of its steps.
@Suite struct InterruptionTests {
    private static let steps: [FileStep] = [
        .createTemporary, .write, .synchronize, .publish, .removeTemporary, .synchronizeFolder,
    ]
    private static let published: Set<FileStep> = [.removeTemporary, .synchronizeFolder]

    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test(arguments: steps)
    func aFailingStepLeavesTheOldContentOrTheNewAndNothingElse(step: FileStep) throws {
        let path = try folder.write("old", to: "secret")
        let failing = SecretFile(path: path) { $0 == step ? ENOSPC : nil }
        if step == .removeTemporary {
            // Replacing has nothing to remove.
            try failing.replace(with: Array("new".utf8))
        } else {
            #expect(throws: FileError.failed(step, path: path, code: ENOSPC)) {
                try failing.replace(with: Array("new".utf8))
            }
        }
        #expect(try folder.text("secret") == (Self.published.contains(step) ? "new" : "old"))
        #expect(try folder.names() == ["secret"])
    }

    @Test(arguments: steps)
    func aKillLeavesTheOldContentOrTheNew(step: FileStep) throws {
        let path = try folder.write("old", to: "secret")
        try? SecretFile(path: path, fault: death(at: step)).replace(with: Array("new".utf8))
        #expect(try folder.text("secret") == (Self.published.contains(step) ? "new" : "old"))
    }

    @Test(arguments: steps)
    func aKillWhileCreatingLeavesNothingOrTheWholeFile(step: FileStep) throws {
        let path = folder.path("secret")
        let dying = SecretFile(path: path, fault: death(at: step))
        let reported = step == .removeTemporary ? .synchronizeFolder : step
        #expect(throws: FileError.failed(reported, path: path, code: EIO)) { try dying.create(Array("new".utf8)) }
        let content = try SecretFile(path: path).read(limit: 100)
        #expect(content == (Self.published.contains(step) ? Array("new".utf8) : nil))
        for name in try folder.names() { #expect(folder.mode(name) == 0o600) }
    }

    @Test func aTemporaryNameThatStaysIsNoFailure() throws {
        let path = folder.path("secret")
        try SecretFile(path: path) { $0 == .removeTemporary ? EIO : nil }.create([1])
        #expect(try SecretFile(path: path).read(limit: 1) == [1])
    }

    @Test func theNextWriteRemovesWhatADeadProcessLeft() throws {
        let dead = try pidOfADeadProcess()
        try folder.write("half a secret", to: ".secret.\(dead)-abc-1.tmp")
        // A process of the same id as this one, but not this one.
        try folder.write("half a secret", to: ".secret.\(getpid())-abc-1.tmp")
        // Another file's, a living process's, and one that is none of ours.
        let others = [".other.\(dead)-abc-1.tmp", ".secret.1-abc-1.tmp", ".secret.backup.tmp"]
        for name in others { try folder.write("", to: name) }
        try SecretFile(path: folder.path("secret")).replace(with: [1])
        #expect(try folder.names() == (others + ["secret"]).sorted())
    }

    @Test func writesAtTheSameTimeLeaveOneOfThemWhole() async throws {
        let path = folder.path("secret")
        try await withThrowingTaskGroup { group in
            for writer in 0..<16 {
                group.addTask {
                    try SecretFile(path: path).replace(with: [UInt8](repeating: UInt8(writer), count: 4096))
                }
            }
            try await group.waitForAll()
        }
        let content = try #require(try SecretFile(path: path).read(limit: 4096))
        #expect(content.count == 4096)
        #expect(Set(content).count == 1)
        #expect(try folder.names() == ["secret"])
    }

    @Test func onlyOneOfManyCreates() async throws {
        let path = folder.path("secret")
        let created = await withTaskGroup { group in
            for writer in 0..<16 as Range<UInt8> {
                group.addTask { (try? SecretFile(path: path).create([writer])) == nil ? nil : writer }
            }
            return await group.reduce(into: [UInt8]()) { winners, writer in
                if let writer { winners.append(writer) }
            }
        }
        #expect(created.count == 1)
        #expect(try SecretFile(path: path).read(limit: 1) == created)
    }

    // A process that dies does nothing of what comes after either.
    private func death(at step: FileStep) -> @Sendable (FileStep) -> CInt? {
        let isDead = Atomic(false)
        return { next in
            if next == step { isDead.store(true, ordering: .relaxed) }
            return isDead.load(ordering: .relaxed) ? EIO : nil
        }
    }

    private func pidOfADeadProcess() throws -> pid_t {
        var pid: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { free(arguments[0]) }
        try #require(posix_spawnp(&pid, "true", nil, nil, &arguments, nil) == 0)
        try #require(waitpid(pid, nil, 0) == pid)
        return pid
    }
}
