import ProtoWire
import PushCrypto
import PushNode

/// Replays reconcile.json: spaces, chats and modes in; registrations and topics out. `desiredHash` is the reference's own
/// fingerprint of the same values and is not compared.
struct ReconcileReplay: VectorFile {
    static let stem = "reconcile"

    private let active: String
    private let owner: String
    private let oneToOne: String

    init(file: JSON) throws {
        guard let vocabulary = file["vocabulary"] else { throw VectorMismatch("the file has no field vocabulary") }
        active = try vocabulary.string("statusActive")
        owner = try vocabulary.string("permissionOwner")
        oneToOne = try vocabulary.string("spaceTypeOneToOne")
    }

    func replay(_ vector: JSON) throws {
        let desired = DesiredTopics(
            identity: try PublicKey(accountAddress: vector.string("identity")),
            spaces: try vector.array("spaces").map(space)
        )
        let register = try vector.array("register").map { $0.stringValue }
        try expect(desired.register.map(Optional.some), equals: register, "register")
        let expected = try vector.array("subs")
        let spaceIds = try expected.map { try $0.string("spaceId") }
        try expect(desired.subscriptions.map(\.spaceId), equals: spaceIds, "spaces with topics")
        for (found, expected) in zip(desired.subscriptions, expected) {
            let topics = try expected.array("topics").map { $0.stringValue }
            try expect(found.topics.map { $0.string }, equals: topics, "topics of \(found.spaceId)")
        }
    }

    private func space(_ space: JSON) throws -> SpaceModes {
        SpaceModes(
            spaceId: try space.string("id"), isActive: try space.string("status") == active,
            isOwned: try space.string("ownRole") == owner, isOneToOne: try space.string("spaceType") == oneToOne,
            mode: Self.mode(space["settings"]?["notifyMode"]),
            chats: try space.array("chats").map {
                SpaceModes.Chat(chatId: try $0.string("id"), mode: Self.mode($0["mode"]))
            }
        )
    }

    private static func mode(_ value: JSON?) -> NotifyMode? {
        value?.stringValue.flatMap(NotifyMode.init)
    }
}
