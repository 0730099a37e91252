import Testing

@testable import AnyServer

@Suite struct PathShortenerTests {
    @Test func filesAreNamedWithoutTheirFolders() {
        let paths = PathShortener(folders: ["/home/ann/.any", "/home/ann/.any/A1", "/", "", "/etc/any"])
        #expect(paths.shorten("/home/ann/.any/A1/push-token.json is damaged") == "push-token.json is damaged")
        #expect(paths.shorten("/home/ann/.any/A1/sdk/account.db and /home/ann/.any/x") == "sdk/account.db and x")
        #expect(paths.shorten("/etc/any/config.yaml:3:1: a/b") == "config.yaml:3:1: a/b")
    }
}
