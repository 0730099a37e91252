import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport
import Testing

/// What a directory says reaches the reconciler and the hooks as it is.
@Suite(.timeLimit(.minutes(5))) struct SpaceDirectorySourceTests {
    private let account = SigningKey()
    private let directory = MemoryDirectory()

    private var source: SpaceDirectorySource {
        SpaceDirectorySource(
            directory: directory, keyring: SpaceKeyring(account: account, directory: directory, verification: .full)
        )
    }

    @Test func rowsAndChatsAreHandedOn() async throws {
        directory.put(
            DirectorySpace(
                id: "pair", type: "any.onetoone", name: "Pair", isActive: true, isOwned: false, notifyMode: .mentions
            ),
            chats: [DirectoryChat(id: "c1", name: "One"), DirectoryChat(id: "c2", notifyMode: NotifyMode.none)]
        ) { [] }
        #expect(
            try await source.spaces() == [
                SpaceRow(spaceId: "pair", isActive: true, isOwned: false, isOneToOne: true, mode: .mentions)
            ])
        #expect(
            try await source.chats(of: "pair") == [
                SpaceModes.Chat(chatId: "c1", mode: nil), SpaceModes.Chat(chatId: "c2", mode: NotifyMode.none),
            ])
        let context = try await source.context(of: "c1", in: "pair")
        #expect(context.spaceName == "Pair" && context.chatName == "One" && context.senderName == "Somebody")
        #expect(context.isOneToOne)
    }

    @Test func whatCanNotBeReadIsAnErrorToTheReconcilerAndANamelessNotificationToTheHooks() async throws {
        directory.put(
            DirectorySpace(id: "s", type: "any.space", name: "Space", isActive: true, isOwned: true),
            chats: [DirectoryChat(id: "c", name: "Chat")]
        ) { [] }
        directory.fail(.spaces, .chats("s"), .profile)
        await #expect(throws: MemoryDirectory.Unreadable.self) { try await source.spaces() }
        await #expect(throws: MemoryDirectory.Unreadable.self) { try await source.chats(of: "s") }
        await #expect(throws: SpaceKeyringError.noRecords) { try await source.keys(of: "s") }
        let context = try await source.context(of: "c", in: "s")
        #expect(context.spaceName.isEmpty && context.chatName.isEmpty && context.senderName.isEmpty)
        directory.heal()
        let unknown = try await source.context(of: "gone", in: "gone")
        #expect(unknown.spaceName.isEmpty && unknown.chatName.isEmpty && unknown.senderName == "Somebody")
    }

    @Test func chatsThatCanNotBeListedUnmuteNothing() async throws {
        // A muted chat in a space that asks for everything: the one list that must not be taken for whole.
        let clock = VirtualClock()
        let node = FakeNode(clock: clock)
        let space = try MemberedSpace(owner: account)
        directory.put(
            space, isOwned: true,
            chats: [DirectoryChat(id: "loud"), DirectoryChat(id: "muted", notifyMode: NotifyMode.none)]
        )
        directory.fail(.chats(space.id))
        let reconciler = TopicReconciler(identity: account.publicKey, source: source, node: node, clock: clock)
        await reconciler.start()
        await eventually { await reconciler.status.rounds == 1 }
        #expect(node.topics.isEmpty)
        #expect(await reconciler.status.last?.isLanded == false)
        directory.heal()
        reconciler.tokenChanged()
        await eventually { await reconciler.status.last?.isLanded == true }
        let loud = GroupId(chatId: "loud")
        #expect(
            Set(node.topics.map(\.name)) == [TopicName.chat(loud), TopicName.mention(of: account.publicKey, in: loud)])
        directory.fail(.chats(space.id))
        directory.setMode(NotifyMode.none, of: space.id)
        reconciler.tokenChanged()
        await eventually { node.topics.isEmpty }
        await reconciler.shutdown()
    }
}
