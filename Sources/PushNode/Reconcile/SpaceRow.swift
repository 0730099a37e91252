public import PushCrypto

/// A space as its row says.
public struct SpaceRow: Hashable, Sendable {
    /// The space's id.
    public var spaceId: String
    /// Whether the row's status is exactly `active`.
    public var isActive: Bool
    /// Whether the account's own role is exactly `owner`.
    public var isOwned: Bool
    /// Whether the space's type is exactly `any.onetoone`.
    public var isOneToOne: Bool
    /// `settings.notifyMode`, `nil` when it is absent or not a mode.
    public var mode: NotifyMode?
    /// The public half of the space's push key, as far as it is known without the space's log; see
    /// ``DirectorySpace/pushKey``.
    public var pushKey: PublicKey?

    /// A row; see the properties.
    public init(
        spaceId: String, isActive: Bool, isOwned: Bool, isOneToOne: Bool, mode: NotifyMode?, pushKey: PublicKey? = nil
    ) {
        self.spaceId = spaceId
        self.isActive = isActive
        self.isOwned = isOwned
        self.isOneToOne = isOneToOne
        self.mode = mode
        self.pushKey = pushKey
    }
}

extension SpaceRow {
    /// The row of a directory.
    init(_ space: DirectorySpace) {
        self.init(
            spaceId: space.id, isActive: space.isActive, isOwned: space.isOwned, isOneToOne: space.isOneToOne,
            mode: space.notifyMode, pushKey: space.pushKey
        )
    }

    /// The active rows, one for each space: where rows of one space differ, the narrower mode counts.
    static func active(_ rows: [SpaceRow]) -> [SpaceRow] {
        var merged: [SpaceRow] = []
        var positions: [String: Int] = [:]
        for row in rows where row.isActive {
            guard let position = positions[row.spaceId] else {
                positions[row.spaceId] = merged.count
                merged.append(row)
                continue
            }
            merged[position].isOwned = merged[position].isOwned || row.isOwned
            merged[position].isOneToOne = merged[position].isOneToOne || row.isOneToOne
            merged[position].mode = min(merged[position].mode ?? .all, row.mode ?? .all)
        }
        return merged
    }
}
