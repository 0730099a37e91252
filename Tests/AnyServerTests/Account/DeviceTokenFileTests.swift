import Glibc
import PushAPI
import PushNode
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

@Suite struct DeviceTokenFileTests {
    private let folder: TemporaryDirectory
    private let file: DeviceTokenFile

    init() throws {
        folder = try TemporaryDirectory()
        file = DeviceTokenFile(in: AccountDirectory(path: folder.path))
    }

    private func registered(_ token: String, _ platform: Platform = .ios) -> DeviceTokenRecord {
        .registered(DeviceToken(platform: platform, token: token))
    }

    @Test func aTokenIsWrittenReadRevokedAndDeleted() async throws {
        #expect(try file.load() == .none)
        try await file.save(registered("abc/\"é\u{1}"))
        #expect(try file.load() == registered("abc/\"é\u{1}"))
        #expect(folder.mode("push-token.json") == 0o600)
        try await file.save(registered("fcm:token_1-2", .android))
        #expect(try folder.text("push-token.json") == #"{"platform":"android","token":"fcm:token_1-2"}"#)
        try await file.save(.revoking)
        #expect(try file.load() == .revoking)
        #expect(try folder.text("push-token.json") == #"{"revoking":true}"#)
        try await file.save(registered("x"))
        #expect(try file.load() == registered("x"))
        for _ in 0..<2 {
            try await file.save(.none)
            #expect(try file.load() == .none)
            #expect(try folder.names() == [])
        }
    }

    @Test func onlyUsableTokensAreKept() async throws {
        let longest = registered(String(repeating: "\u{1}", count: 2048))
        try await file.save(longest)
        for token in [
            registered(String(repeating: "x", count: 2049)), registered(""), registered("x", .init(rawValue: 7)),
        ] {
            let error = await #expect(throws: DeviceTokenFile.Failure.self) { try await file.save(token) }
            guard case .unusableToken = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(try file.load() == longest)
    }

    @Test(arguments: [
        ("", "it is not a JSON object with the strings platform and token"),
        ("{", "it is not a JSON object with the strings platform and token"),
        ("{}", "it is not a JSON object with the strings platform and token"),
        ("[]", "it is not a JSON object with the strings platform and token"),
        (#"{"platform":"ios"}"#, "it is not a JSON object with the strings platform and token"),
        (#"{"revoking":false}"#, "it is not a JSON object with the strings platform and token"),
        (#"{"platform":1,"token":"x"}"#, "it is not a JSON object with the strings platform and token"),
        (#"{"platform":"web","token":"x"}"#, "its platform is neither ios nor android"),
        (#"{"platform":"ios","token":""}"#, "its token is empty or too long"),
    ])
    func aDamagedFileIsNamedAndANewTokenReplacesIt(text: String, reason: String) async throws {
        let path = try folder.write(text, to: "push-token.json")
        let damaged = DeviceTokenFile.Failure.damaged(path: path, reason: reason)
        #expect(throws: damaged) { try file.load() }
        #expect(try folder.text("push-token.json") == text)
        try await file.save(registered("newest"))
        #expect(try file.load() == registered("newest"))
        try folder.write(text, to: "push-token.json")
        #expect("\(damaged)".contains(path) && "\(damaged)".contains("any push token revoke"))
        try await file.save(.revoking)
        try await file.save(registered("new"))
        #expect(try file.load() == registered("new"))
        try folder.write(text, to: "push-token.json")
        try await file.save(.none)
        #expect(try file.load() == .none)
    }

    @Test func unknownFieldsAreRead() throws {
        try folder.write(#"{"later":[1],"token":"x","platform":"ios"}"#, to: "push-token.json")
        #expect(try file.load() == registered("x"))
    }

    @Test(arguments: [FileStep.createTemporary, .write, .synchronize, .publish])
    func aFailingWriteKeepsTheTokenBefore(step: FileStep) async throws {
        try await file.save(registered("old"))
        let path = folder.path("push-token.json")
        let failing = DeviceTokenFile(file: SecretFile(path: path) { $0 == step ? ENOSPC : nil })
        for record in [registered("new"), .revoking] {
            await #expect(throws: DeviceTokenFile.Failure.file(.failed(step, path: path, code: ENOSPC))) {
                try await failing.save(record)
            }
        }
        #expect(try file.load() == registered("old"))
        #expect(try folder.names() == ["push-token.json"])
    }

    @Test func aTokenStaysOutOfDescriptionsAndDumps() throws {
        let record = registered("sesame")
        var text = "\(record) \(String(reflecting: record))"
        dump(record, to: &text)
        #expect(!text.contains("sesame"))
    }
}
