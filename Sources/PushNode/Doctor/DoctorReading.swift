import AnySyncWire
import ProtoWire
import PushCrypto

/// The account's spaces as a ``PushDoctor`` could read them.
struct DoctorReading: Sendable {
    /// The active spaces, or why they could not be read.
    var spaces: Result<[Space], Unreadable>
    /// The keys of the spaces that this device knows, active or not: topics of any other belong to another device of the
    /// account.
    var knownKeys: Set<[UInt8]> = []

    /// Why something could not be read.
    struct Unreadable: Error {
        let reason: String
    }

    /// One active space.
    struct Space: Sendable {
        let row: SpaceRow
        /// Its name, to find it by.
        let name: String
        /// Its notify mode when that is no mode, made printable.
        let unknownMode: String?
        /// Where the account stands in it.
        let standing: Result<SpaceStanding, Unreadable>
        /// Its chats with their modes.
        let chats: Result<[DirectoryChat], Unreadable>

        /// The keys, when the account has them.
        var keys: SpacePushKeys? { try? standing.get().keys.get() }
        /// How to call it in a report.
        var label: String { name.isEmpty ? row.spaceId : "\(name) (\(row.spaceId))" }
    }
}

extension PushDoctor {
    /// Reads every active space, its keys and its chats.
    func read() async -> DoctorReading {
        let (directory, options) = (account.directory, account.options)
        // What has been replayed already needs not be replayed for this.
        let keyring =
            account.runtime?.keyring
            ?? SpaceKeyring(account: options.account, directory: directory, verification: options.verification)
        do {
            var reading = try await withDeadline(limits.reading, on: .continuous) {
                try await Self.read(directory, keyring)
            }
            // Rounds judge by these too, which remember the spaces that were left.
            if let runtime = account.runtime { reading.knownKeys.formUnion(await runtime.reconciler.knownKeys) }
            return reading
        } catch is DeadlinePassed {
            let reason = "reading them took longer than \(limits.reading.inWords)"
            return DoctorReading(spaces: .failure(DoctorReading.Unreadable(reason: reason)))
        } catch {
            return DoctorReading(spaces: .failure(DoctorReading.Unreadable(reason: PushEvent.text(of: error))))
        }
    }

    private static func read(_ directory: any SpaceDirectory, _ keyring: SpaceKeyring) async throws -> DoctorReading {
        let found = try await directory.spaces()
        let names = Dictionary(found.map { ($0.id, $0.name.string) }, uniquingKeysWith: { first, _ in first })
        let unknownModes = Dictionary(
            found.compactMap { space in
                space.unknownNotifyMode.map { (space.id, PeerText.printable($0.utf8, limit: 40)) }
            },
            uniquingKeysWith: { first, _ in first })
        var knownKeys = Set(found.compactMap { $0.pushKey?.rawRepresentation })
        let rows = SpaceRow.active(found.map(SpaceRow.init))
        var spaces: [DoctorReading.Space] = []
        for row in rows {
            let standing = try await unlessFailing { try await keyring.standing(in: row.spaceId) }
            let chats = try await unlessFailing { try await directory.chats(of: row.spaceId) }
            let space = DoctorReading.Space(
                row: row, name: names[row.spaceId] ?? "", unknownMode: unknownModes[row.spaceId],
                standing: standing, chats: chats)
            if let keys = space.keys { knownKeys.insert(keys.spaceKey.publicKey.rawRepresentation) }
            spaces.append(space)
        }
        return DoctorReading(spaces: .success(spaces), knownKeys: knownKeys)
    }

    private static func unlessFailing<Value: Sendable>(
        _ read: () async throws -> Value
    ) async throws -> Result<Value, DoctorReading.Unreadable> {
        do {
            return .success(try await read())
        } catch {
            try Task.checkCancellation()
            return .failure(DoctorReading.Unreadable(reason: PushEvent.text(of: error)))
        }
    }
}
