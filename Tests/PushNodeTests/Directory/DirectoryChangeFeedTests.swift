import PushNode
import Testing

/// Who hears of a change.
@Suite(.timeLimit(.minutes(5))) struct DirectoryChangeFeedTests {
    @Test func everyListenerHearsWhatComesAfterItBegan() async {
        let feed = DirectoryChangeFeed()
        feed.send(.space("before"))
        let streams = [feed.stream(), feed.stream()]
        feed.send(.space("s"))
        feed.send(.chats(of: "s"))
        feed.finish()
        for stream in streams {
            var heard: [DirectoryChange] = []
            for await change in stream { heard.append(change) }
            #expect(heard == [.space("s"), .chats(of: "s")])
        }
        for await _ in feed.stream() { Issue.record("a change after the end") }
    }

    @Test func aListenerThatFallsBehindHearsTheNewest() async {
        let feed = DirectoryChangeFeed()
        let stream = feed.stream()
        for number in 0..<1000 { feed.send(.space("\(number)")) }
        feed.finish()
        var heard: [DirectoryChange] = []
        for await change in stream { heard.append(change) }
        #expect(heard.count == DirectoryChangeFeed.capacity && heard.last == .space("999"))
    }

    @Test func aListenerThatGoesIsForgotten() async {
        let feed = DirectoryChangeFeed()
        let stream = feed.stream()
        let listening = Task { for await _ in stream {} }
        #expect(feed.listenerCount == 1)
        listening.cancel()
        await listening.value
        #expect(feed.listenerCount == 0)
    }
}
