import FoundationEssentials
import PushAPI
public import PushNode
import SQLiteStorage
public import SecretFiles

/// The file of the push token of the phone that the server runs on (`push-token.json`).
///
/// `{"platform": "ios", "token": "…"}`, or `{"revoking": true}` from when the user deletes the token until the node has
/// forgotten it. Without a token there is no file. A damaged file stays as it is until a token is registered or deleted.
public struct DeviceTokenFile: DeviceTokenPersistence {
    /// Why the token can not be read or written.
    public enum Failure: Error, Hashable, Sendable {
        /// The file is damaged.
        case damaged(path: String, reason: String)
        /// The token can not be kept: it is empty, too long, or of an unknown platform.
        case unusableToken(reason: String)
        /// The file can not be read or written.
        case file(FileError)
    }

    // JSON makes six bytes of one at most.
    private static let maximumByteCount = 6 * DeviceToken.maximumByteCount + 1024

    private let file: SecretFile
    /// Waits for the disk, so that the tasks of everybody else do not.
    private let executor = BlockingExecutor(label: "anypush.token")

    /// The token of an account's directory.
    public init(in directory: AccountDirectory) {
        self.init(file: SecretFile(path: directory.deviceTokenPath))
    }

    init(file: SecretFile) {
        self.file = file
    }

    /// Reads the record.
    ///
    /// - Returns: `DeviceTokenRecord.none` when there is no file.
    /// - Throws: ``Failure``.
    public func load() throws(Failure) -> DeviceTokenRecord {
        let bytes: [UInt8]
        do throws(FileError) {
            guard let content = try file.read(limit: Self.maximumByteCount) else { return .none }
            bytes = content
        } catch {
            throw .file(error)
        }
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)) else {
            throw damaged("it is not a JSON object with the strings platform and token")
        }
        if content.revoking == true { return .revoking }
        guard let name = content.platform, let token = content.token else {
            throw damaged("it is not a JSON object with the strings platform and token")
        }
        guard let platform = Platform(name: name) else { throw damaged("its platform is neither ios nor android") }
        guard Self.isKept(token) else { throw damaged("its token is empty or too long") }
        return .registered(DeviceToken(platform: platform, token: token))
    }

    /// Keeps a record in place of the one before, and of a damaged one.
    ///
    /// - Throws: ``Failure``. The earlier record is still there then.
    public func save(_ record: DeviceTokenRecord) async throws(Failure) {
        let result = await withCheckedContinuation { continuation in
            executor.add {
                continuation.resume(returning: Result { () throws(Failure) in try self.replace(by: record) })
            }
        }
        try result.get()
    }

    private func replace(by record: DeviceTokenRecord) throws(Failure) {
        switch record {
        case .none:
            do throws(FileError) { try file.remove() } catch { throw .file(error) }
        case .revoking:
            try write(Content(revoking: true))
        case .registered(let token):
            guard let platform = token.platform.name else {
                throw .unusableToken(reason: "its platform is neither ios nor android")
            }
            guard Self.isKept(token.token) else {
                throw .unusableToken(reason: "it must have 1 to \(DeviceToken.maximumByteCount) bytes")
            }
            try write(Content(platform: platform, token: token.token))
        }
    }

    private func write(_ content: Content) throws(Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(content) else {
            throw .unusableToken(reason: "it can not be written as JSON")
        }
        do throws(FileError) { try file.replace(with: [UInt8](json)) } catch { throw .file(error) }
    }

    private func damaged(_ reason: String) -> Failure { .damaged(path: file.path, reason: reason) }

    private static func isKept(_ token: String) -> Bool {
        (1...DeviceToken.maximumByteCount).contains(token.utf8.count)
    }

    private struct Content: Codable {
        var platform: String?
        var token: String?
        var revoking: Bool?
    }
}

extension DeviceTokenFile.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .damaged(let path, let reason):
            "\(path) is damaged: \(reason); register the token again, or run `any push token revoke`"
        case .unusableToken(let reason): "the push token can not be kept: \(reason); register the one of the provider"
        case .file(let error): error.description
        }
    }
}
