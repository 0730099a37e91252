import FoundationEssentials
public import PushNode
public import SecretFiles

/// The push token of the phone that the server runs on.
public struct DeviceToken: Hashable, Sendable {
    /// The longest token that is kept, in bytes of UTF-8. Providers' tokens are far shorter.
    public static let maximumByteCount = 4096

    /// The phone's kind, ``PushNode/Platform/ios`` or ``PushNode/Platform/android``.
    public let platform: Platform
    /// What the provider calls the app on this phone. A secret: whoever has it can push to the phone.
    public let token: String

    /// A token.
    ///
    /// - Returns: `nil` for another platform, and for a token that is empty or longer than ``maximumByteCount``.
    public init?(platform: Platform, token: String) {
        guard platform.name != nil, (1...Self.maximumByteCount).contains(token.utf8.count) else { return nil }
        self.platform = platform
        self.token = token
    }
}

extension DeviceToken: CustomStringConvertible, CustomReflectable {
    /// The platform only.
    public var description: String { "DeviceToken(\(platform.name ?? "?"))" }

    public var customMirror: Mirror { Mirror(self, children: ["platform": platform], displayStyle: .struct) }
}

/// The file of the device's token (`push-token.json`): `{"platform": "ios", "token": "…"}`.
public struct DeviceTokenFile: Sendable {
    /// Why the token can not be read or written.
    public enum Failure: Error, Hashable, Sendable {
        /// The file is damaged. It is left as it is.
        case damaged(path: String, reason: String)
        /// The file can not be read or written.
        case file(FileError)
    }

    // JSON makes six bytes of one at most.
    private static let maximumByteCount = 6 * DeviceToken.maximumByteCount + 1024

    private let file: SecretFile

    /// The token of an account's directory.
    public init(in directory: AccountDirectory) {
        self.init(file: SecretFile(path: directory.deviceTokenPath))
    }

    init(file: SecretFile) {
        self.file = file
    }

    /// Reads the token.
    ///
    /// - Returns: `nil` when none is registered.
    /// - Throws: ``Failure``.
    public func read() throws(Failure) -> DeviceToken? {
        let bytes: [UInt8]
        do throws(FileError) {
            guard let content = try file.read(limit: Self.maximumByteCount) else { return nil }
            bytes = content
        } catch {
            throw .file(error)
        }
        guard let record = try? JSONDecoder().decode(Record.self, from: Data(bytes)) else {
            throw .damaged(path: file.path, reason: "it is not JSON with the strings platform and token")
        }
        guard let platform = Platform(name: record.platform) else {
            throw .damaged(path: file.path, reason: "its platform is neither ios nor android")
        }
        guard let token = DeviceToken(platform: platform, token: record.token) else {
            throw .damaged(path: file.path, reason: "its token is empty or too long")
        }
        return token
    }

    /// Writes the token, in place of the one before.
    ///
    /// - Throws: ``Failure``; also when a file is there that ``read()`` refuses, which then stays as it is.
    public func write(_ token: DeviceToken) throws(Failure) {
        _ = try read()
        let record = Record(platform: token.platform.name ?? "", token: token.token)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(record) else {
            throw .damaged(path: file.path, reason: "the token can not be written as JSON")
        }
        do throws(FileError) { try file.replace(with: [UInt8](json)) } catch { throw .file(error) }
    }

    /// Takes the token away, a damaged file too.
    ///
    /// - Returns: whether there was one.
    /// - Throws: ``Failure/file(_:)``.
    @discardableResult
    public func delete() throws(Failure) -> Bool {
        do throws(FileError) { return try file.remove() } catch { throw .file(error) }
    }

    private struct Record: Codable {
        var platform: String
        var token: String
    }
}

extension DeviceTokenFile.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .damaged(let path, let reason):
            "\(path) is damaged: \(reason); run `any push token revoke` and register the token again"
        case .file(let error): error.description
        }
    }
}
