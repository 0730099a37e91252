@testable import AnyServer
import Glibc
import PushNode
import SecretFiles
import TestSupport
import Testing

@Suite struct DeviceTokenFileTests {
    private let folder: TemporaryDirectory
    private let file: DeviceTokenFile

    init() throws {
        folder = try TemporaryDirectory()
        file = DeviceTokenFile(in: AccountDirectory(path: folder.path))
    }

    @Test func aTokenIsWrittenReadAndDeleted() throws {
        #expect(try file.read() == nil)
        let token = try #require(DeviceToken(platform: .ios, token: "abc/\"é\u{1}"))
        try file.write(token)
        #expect(try file.read() == token)
        #expect(folder.mode("push-token.json") == 0o600)
        let next = try #require(DeviceToken(platform: .android, token: "fcm:token_1-2"))
        try file.write(next)
        #expect(try folder.text("push-token.json") == #"{"platform":"android","token":"fcm:token_1-2"}"#)
        #expect(try file.delete())
        #expect(try file.read() == nil)
        #expect(try !file.delete())
        #expect(try folder.names() == [])
    }

    @Test func theLongestTokenFits() throws {
        let token = try #require(DeviceToken(platform: .ios, token: String(repeating: "\u{1}", count: 4096)))
        try file.write(token)
        #expect(try file.read() == token)
        #expect(DeviceToken(platform: .ios, token: String(repeating: "x", count: 4097)) == nil)
        #expect(DeviceToken(platform: .ios, token: "") == nil)
        #expect(DeviceToken(platform: .init(rawValue: 7), token: "x") == nil)
    }

    @Test(arguments: [
        ("", "it is not JSON with the strings platform and token"),
        ("{", "it is not JSON with the strings platform and token"),
        (#"{"platform":"ios"}"#, "it is not JSON with the strings platform and token"),
        (#"{"platform":1,"token":"x"}"#, "it is not JSON with the strings platform and token"),
        (#"{"platform":"web","token":"x"}"#, "its platform is neither ios nor android"),
        (#"{"platform":"ios","token":""}"#, "its token is empty or too long"),
    ])
    func aDamagedFileIsNamedAndKeptUntilItIsDeleted(text: String, reason: String) throws {
        let path = try folder.write(text, to: "push-token.json")
        let damaged = DeviceTokenFile.Failure.damaged(path: path, reason: reason)
        #expect(throws: damaged) { try file.read() }
        let token = try #require(DeviceToken(platform: .ios, token: "new"))
        #expect(throws: damaged) { try file.write(token) }
        #expect(try folder.text("push-token.json") == text)
        #expect("\(damaged)".contains(path) && "\(damaged)".contains("any push token revoke"))
        #expect(try file.delete())
        try file.write(token)
        #expect(try file.read() == token)
    }

    @Test func unknownFieldsAreRead() throws {
        try folder.write(#"{"later":[1],"token":"x","platform":"ios"}"#, to: "push-token.json")
        #expect(try file.read() == DeviceToken(platform: .ios, token: "x"))
    }

    @Test(arguments: [FileStep.createTemporary, .write, .synchronize, .publish])
    func aFailingWriteKeepsTheTokenBefore(step: FileStep) throws {
        let old = try #require(DeviceToken(platform: .ios, token: "old"))
        try file.write(old)
        let path = folder.path("push-token.json")
        let failing = DeviceTokenFile(file: SecretFile(path: path) { $0 == step ? ENOSPC : nil })
        #expect(throws: DeviceTokenFile.Failure.file(.failed(step, path: path, code: ENOSPC))) {
            try failing.write(#require(DeviceToken(platform: .ios, token: "new")))
        }
        #expect(try file.read() == old)
        #expect(try folder.names() == ["push-token.json"])
    }

    @Test func aTokenStaysOutOfDescriptionsAndDumps() throws {
        let token = try #require(DeviceToken(platform: .ios, token: "sesame"))
        var text = "\(token) \(String(reflecting: token))"
        dump(token, to: &text)
        #expect(!text.contains("sesame"))
    }
}
