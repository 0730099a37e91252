import PushCrypto
import Testing

@testable import AnyServer

struct MessageStateTests {
    private enum Step {
        case create
        case edit(UInt64, String, by: PublicKey)
        case delete(by: PublicKey)
    }

    private let author = SigningKey().publicKey
    private let other = SigningKey().publicKey
    private let chatId = ChatId.general(of: "space")

    private func state(_ steps: [Step]) -> MessageState {
        var state = MessageState()
        for step in steps {
            switch step {
            case .create:
                state.create(
                    MessageState.Creation(
                        order: order(1), author: author, createdAt: 1000,
                        body: MessageBody(chatId: chatId, text: "first")
                    )
                )
            case .edit(let counter, let text, let editor):
                state.edit(
                    MessageState.Edit(order: order(counter), editedAt: Int64(counter), text: text), by: editor
                )
            case .delete(let editor): state.delete(by: editor)
            }
        }
        return state
    }

    private func order(_ counter: UInt64) -> ChangeOrder { ChangeOrder(counter: counter, changeId: "c\(counter)") }

    @Test func theLastEditOfTheAuthorCounts() {
        let edited = state([.create, .edit(3, "third", by: author), .edit(2, "second", by: author)])
        #expect(edited.text == "third")
        #expect(edited.lastEdit?.order == order(3))
    }

    @Test func onlyTheAuthorEditsAndDeletes() {
        let tried = state([.edit(9, "forged", by: other), .delete(by: other), .create])
        #expect(tried == state([.create]))
        #expect(state([.create, .edit(9, "forged", by: other), .delete(by: other)]) == state([.create]))
    }

    @Test func aDeletionWinsAndLeavesNoContent() {
        let deleted = state([.create, .delete(by: author), .edit(9, "back", by: author)])
        #expect(deleted.isDeleted)
        #expect(deleted.text == "")
        #expect(deleted.edits.isEmpty)
        #expect(deleted.mentions.isEmpty)
    }

    @Test func withoutTheMessageThereIsNothing() {
        let early = state([.edit(2, "early", by: author), .delete(by: other)])
        #expect(early.text == nil)
        #expect(!early.isDeleted)
    }

    @Test(arguments: 0..<200)
    func anyOrderGivesTheSame(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var steps: [Step] = [.create]
        for counter in 2..<UInt64.random(in: 3...9, using: &random) {
            steps.append(.edit(counter, "text \(counter)", by: Bool.random(using: &random) ? author : other))
        }
        if Bool.random(using: &random) { steps.append(.delete(by: Bool.random(using: &random) ? author : other)) }
        let expected = state(steps)
        for _ in 0..<20 {
            var shuffled = steps + steps.prefix(2)
            shuffled.shuffle(using: &random)
            #expect(state(shuffled) == expected)
        }
    }
}
