public import PushCrypto

/// Derives the keys of an account's spaces from their ACL logs, as a ``SpaceDirectory`` has them.
///
/// A log is replayed once and continued from then on: what was added since is all that is read. Each time the keyring
/// is asked, it looks whether the log still ends as it did, so it needs not be told of a change. It gives keys to an
/// account that is a member now and to no other, although a removed member could still derive the space push key
/// (protocol.md §2).
///
/// Keys are in memory only and are zeroed when the keyring goes.
public actor SpaceKeyring: SpaceKeyProvider {
    /// What a keyring keeps and reads.
    public struct Limits: Hashable, Sendable {
        /// The records of all replayed logs that are kept to be continued. A log that is not kept is replayed from its
        /// root when it has grown.
        public var keptRecords = 65_536
        /// The spaces whose standing is kept; it is all that is needed while a log does not grow.
        public var keptStandings = 16_384
        /// The records of one log. A longer one is an error.
        public var recordsPerLog = 1_000_000
        /// How many records are read at once, at least 2.
        public var recordsPerPage = 256

        /// The defaults named at each property.
        public init() {}
    }

    private let account: SigningKey
    private let directory: any SpaceDirectory
    private let verification: ACLVerification
    private let limits: Limits
    private var logs: ReplayedLogs
    private var standings: BoundedCache<String, SpaceStanding>
    /// The spaces that are being read, each by one task.
    private var busy: Set<String> = []
    private let turns = Waiters()

    /// A keyring that has read nothing yet.
    ///
    /// - Parameters:
    ///   - account: the account key.
    ///   - directory: the account's spaces.
    ///   - verification: how records are verified: as of a network, or in full where there is none.
    ///   - limits: see ``Limits``.
    public init(
        account: SigningKey, directory: any SpaceDirectory, verification: ACLVerification, limits: Limits = Limits()
    ) {
        self.account = account
        self.directory = directory
        self.verification = verification
        self.limits = limits
        logs = ReplayedLogs(recordLimit: limits.keptRecords)
        standings = BoundedCache(capacity: limits.keptStandings)
    }

    /// - Throws: as ``standing(in:)``, and `ACLKeyUnavailable` when the account is a member that was not given the keys.
    public func keys(of spaceId: String) async throws -> SpacePushKeys? {
        switch try await standing(in: spaceId).keys {
        case .success(let keys): return keys
        case .failure(let reason) where reason.isAMembersLack: throw reason
        case .failure: return nil
        }
    }

    /// Where the account stands in a space, by all records that the directory has now.
    ///
    /// - Throws: ``SpaceKeyringError``, what the directory throws, or `CancellationError`.
    public func standing(in spaceId: String) async throws -> SpaceStanding {
        while busy.contains(spaceId) {
            await turns.wait { busy.contains(spaceId) }
            try Task.checkCancellation()
        }
        busy.insert(spaceId)
        defer {
            busy.remove(spaceId)
            turns.wakeAll()
        }
        return try await read(spaceId)
    }

    /// Whether a task reads the log of a space now.
    func isReading(_ spaceId: String) -> Bool { busy.contains(spaceId) }

    private func read(_ spaceId: String) async throws -> SpaceStanding {
        var log = logs.take(spaceId)
        // A log that was read in part is kept as far as it was good.
        defer { if let log { logs.put(log, for: spaceId) } }
        let known = standings.value(for: spaceId)
        if let end = log.map({ LogEnd($0.state) }) ?? known.map({ LogEnd($0) }) {
            let tail = try await page(of: spaceId, from: end.recordCount - 1)
            if tail.first?.id != end.head {
                // Another log has taken its place.
                log = nil
            } else if tail.count == 1, let known, LogEnd(known) == end {
                return known
            }
        }
        let state = try await readOn(&log, of: spaceId)
        let standing = SpaceStanding(state)
        standings.insert(standing, for: spaceId)
        return standing
    }

    /// Reads what a log does not have yet.
    private func readOn(_ log: inout ACLLog?, of spaceId: String) async throws -> ACLState {
        while true {
            try Task.checkCancellation()
            let count = log?.state.recordCount ?? 0
            let records = try await page(of: spaceId, from: count)
            guard count + records.count <= limits.recordsPerLog else {
                throw SpaceKeyringError.tooManyRecords(limit: limits.recordsPerLog)
            }
            do throws(ACLError) {
                for record in records { try add(record, to: &log) }
            } catch {
                throw SpaceKeyringError.refused(error)
            }
            guard let state = log?.state else { throw SpaceKeyringError.noRecords }
            // A one-to-one root of the reference names no space.
            guard state.spaceId == spaceId || state.spaceId.isEmpty else {
                log = nil
                throw SpaceKeyringError.wrongSpace(expected: spaceId, found: state.spaceId)
            }
            if records.count < limits.recordsPerPage { return state }
        }
    }

    private func add(_ record: RawRecordWithId, to log: inout ACLLog?) throws(ACLError) {
        guard log != nil else {
            log = try ACLLog(root: record, account: account, mode: verification)
            return
        }
        try log?.append(record)
    }

    private func page(of spaceId: String, from index: Int) async throws -> [RawRecordWithId] {
        let records = try await directory.aclRecords(of: spaceId, from: index, limit: limits.recordsPerPage)
        guard records.count <= limits.recordsPerPage else {
            throw SpaceKeyringError.pageTooLong(limit: limits.recordsPerPage, found: records.count)
        }
        return records
    }
}

/// How far a log goes.
private struct LogEnd: Equatable {
    let recordCount: Int
    let head: String

    init(_ state: ACLState) {
        recordCount = state.recordCount
        head = state.head
    }

    init(_ standing: SpaceStanding) {
        recordCount = standing.recordCount
        head = standing.head
    }
}
