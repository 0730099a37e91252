import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import Testing

@testable import PushNodeServer

/// What the golden vectors do not hold; they are replayed in GoldenVectorTests.
@Suite struct FCMMessageTests {
    private let texts = DefaultTexts(title: "Title", body: "Body & more", imageURL: "https://example.org/i.png")

    @Test func theSizeIsThatOfKeysAndValues() throws {
        for platform in [Platform.ios, .android] {
            for isSilent in [false, true] {
                for payload in [0, 1, 2, 3, 100, 2814] {
                    let content = content(isSilent, payload: [UInt8](repeating: 9, count: payload))
                    let message = try FCMMessage(content, for: platform, texts: texts)
                    var size = message.data.reduce(0) { $0 + $1.key.rawValue.utf8.count + $1.value.count }
                    if platform == .ios, !isSilent {
                        size += texts.title.utf8.count + texts.body.utf8.count + texts.imageURL.utf8.count
                    }
                    #expect(FCMMessage.byteCount(of: content, for: platform, texts: texts) == size)
                }
            }
        }
    }

    @Test func senderAndNodeAgreeOnWhatFits() {
        // The payload that senders fit theirs into leaves room for the default texts that a node may have.
        let sealed = [UInt8](repeating: 0, count: ProviderBudget.payloadByteCount + 28)
        let long = String(repeating: "x", count: FCMMessage.roomForTexts)
        let id = WireString(String(repeating: "0", count: 64))
        let message = NotifyRequest.Message(keyId: id, payload: sealed, signature: [UInt8](repeating: 0, count: 64))
        let content = NotificationContent(isSilent: false, groupId: id, message: message)
        let size = FCMMessage.largestByteCount(of: content, texts: DefaultTexts(title: long))
        #expect(size == ProviderBudget.messageByteCount)
        #expect(FCMMessage.roomForTexts > 200)
    }

    @Test func bytesThatAreNotUTF8BecomeReplacements() throws {
        let content = NotificationContent(isSilent: true, groupId: WireString(bytes: [0x61, 0xff]), message: nil)
        let body = try FCMMessage(content, for: .android, texts: texts).requestBody(token: WireString(bytes: [0xfe]))
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"message":{"data":{"x-any-group-id":"a\ufffd","x-any-type":"silent"},"token":"\ufffd"}}"#
        )
    }

    @Test func onlyALoudIOSMessageShowsTheImage() throws {
        let wrong = DefaultTexts(title: "", body: "", imageURL: "not a url")
        #expect(throws: FCMMessageError.invalidImageURL("not a url")) {
            try FCMMessage(content(false, payload: [1]), for: .ios, texts: wrong)
        }
        _ = try FCMMessage(content(true, payload: [1]), for: .ios, texts: wrong)
        _ = try FCMMessage(content(false, payload: [1]), for: .android, texts: wrong)
    }

    // Judged by what Go's url.ParseRequestURI takes.
    @Test(arguments: [
        "https://example.org/i.png", "http://example.org", "/i.png", "https://example.org:8080/a%20b?q=%zz",
        "https://user:pw@example.org/", "https://[::1]:80/i", "HTTPS://EXAMPLE.ORG/ü", "mailto:a b", "*", "a:",
        "///i.png",
    ])
    func imageURLsThatAreTaken(_ url: String) {
        #expect(ImageURL.isValid(url))
    }

    @Test(arguments: [
        "not a url", "example.org/i.png", "", ":foo", "https://example.org:port/", "https://exa mple.org/",
        "https://example.org/%zz", "https://example.org/\u{7f}", "https://[::1/i", "1a:/x", "i.png", "https://a\n/",
        "https://example.org/%2",
    ])
    func imageURLsThatAreNot(_ url: String) {
        #expect(!ImageURL.isValid(url))
    }

    private func content(_ isSilent: Bool, payload: [UInt8]) -> NotificationContent {
        let message = NotifyRequest.Message(keyId: "key", payload: payload, signature: [UInt8](repeating: 1, count: 64))
        return NotificationContent(isSilent: isSilent, groupId: "group", message: message)
    }
}
