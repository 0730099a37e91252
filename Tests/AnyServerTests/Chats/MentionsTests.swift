import PushCrypto
import Testing

@testable import AnyServer

struct MentionsTests {
    private let spaceId = "bafyspace.z1"
    private let author = SigningKey().publicKey
    private let people = (0..<70).map { _ in SigningKey().publicKey }

    private func link(_ key: PublicKey, space: String? = nil) -> String {
        "any://m/\(space ?? spaceId)/\(key.accountAddress)"
    }

    private func mentions(_ text: String, replyingTo: PublicKey? = nil) -> [PublicKey] {
        Mentions.of(text: text, replyingTo: replyingTo)
    }

    @Test func takesLinksInOrderEachOnce() {
        let text = "[a](\(link(people[1]))) \(link(people[0])), \(link(people[1]))?x=1 and \(link(people[2]))"
        #expect(mentions(text) == [people[1], people[0], people[2]])
    }

    @Test func takesLinksAsTheyAreWritten() {
        let text = "\(link(author)) \(link(people[0], space: "bafyother.z1"))"
        #expect(mentions(text) == [author, people[0]])
        #expect(mentions(text, replyingTo: author) == [author, people[0]])
    }

    @Test func passesOverEverythingElse() {
        let address = people[0].accountAddress
        let others = [
            "any://m//\(address)", "any://m/\(spaceId)/", "any://m/\(spaceId)/\(address)x",
            "any://m/\(spaceId)/\(address.dropLast())", "company://m/\(spaceId)/\(address)",
            "ANY://m/\(spaceId)/\(address)", "any://\(spaceId)/\(address)", address,
            "any://m/\(spaceId)/" + String(repeating: "1", count: 5000), "any://m/\(spaceId)", "any://m/", "",
        ]
        for text in others { #expect(mentions(text) == [], "\(text.prefix(40))") }
        #expect(mentions(others.joined(separator: " ") + " " + link(people[3])) == [people[3]])
    }

    @Test func theAuthorThatIsAnsweredComesLast() {
        #expect(mentions(link(people[0]), replyingTo: people[5]) == [people[0], people[5]])
        #expect(mentions(link(people[0]), replyingTo: people[0]) == [people[0]])
        #expect(mentions("", replyingTo: author) == [author])
    }

    @Test func atMost64AndTheAnsweredAuthorIsKept() {
        let all = people.map { link($0) }.joined(separator: " ")
        #expect(mentions(all) == Array(people.prefix(64)))
        #expect(mentions(all, replyingTo: people[3]) == Array(people.prefix(64)))
        #expect(mentions(all, replyingTo: people[66]) == Array(people.prefix(63)) + [people[66]])
    }
}
