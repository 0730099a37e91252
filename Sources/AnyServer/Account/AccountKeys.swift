public import PushCrypto

/// The private keys that a server runs an account with.
public struct AccountKeys: Sendable {
    /// The account index that `any` derives keys at unless told otherwise (protocol.md §1, "Mnemonic").
    public static let defaultIndex: UInt32 = 1

    /// Signs as the account; its public half is the identity.
    public let accountKey: SigningKey
    /// The key above the account key, which signs for it in the spaces it makes; `nil` when the host keeps it to itself.
    public let masterKey: SigningKey?
    /// Signs as this device; its public half gives the peer id.
    public let deviceKey: SigningKey

    /// Keys that someone else keeps, such as the host of a managed server.
    public init(accountKey: SigningKey, masterKey: SigningKey? = nil, deviceKey: SigningKey) {
        self.accountKey = accountKey
        self.masterKey = masterKey
        self.deviceKey = deviceKey
    }

    /// The keys of a phrase.
    ///
    /// - Parameters:
    ///   - phrase: 12 to 24 BIP-39 words; white space around them and between them does not matter.
    ///   - index: which of the phrase's accounts, below 2^31.
    ///   - deviceKey: this device's; a fresh one makes a device that nobody has seen.
    /// - Throws: ``WalletError/badPhrase(_:)`` or ``WalletError/badIndex(_:)``.
    public init(phrase: String, index: UInt32 = defaultIndex, deviceKey: SigningKey) throws(WalletError) {
        let (masterKey, accountKey) = try Self.derive(phrase: phrase, index: index)
        self.init(accountKey: accountKey, masterKey: masterKey, deviceKey: deviceKey)
    }

    /// The keys that follow from a phrase.
    static func derive(
        phrase: String, index: UInt32
    ) throws(WalletError) -> (masterKey: SigningKey, accountKey: SigningKey) {
        let mnemonic: Mnemonic
        do throws(Mnemonic.Failure) {
            // A phrase's seed is made from its text, so a stray space would silently be another account.
            let words = phrase.unicodeScalars.split { $0.properties.isWhitespace }.map { Substring($0) }
            mnemonic = try Mnemonic(words.joined(separator: " "))
        } catch {
            throw .badPhrase(error)
        }
        do throws(DerivationError) {
            let master = try mnemonic.masterNode(index: index)
            return (master.signingKey, try master.child(0).signingKey)
        } catch {
            throw .badIndex(index)
        }
    }

    /// The account's id: its identity as text, `A…`.
    public var accountId: String { accountKey.publicKey.accountAddress }

    /// The device's peer id, `12D3KooW…`.
    public var peerId: PeerId { PeerId(publicKey: deviceKey.publicKey) }
}

extension AccountKeys: CustomStringConvertible, CustomReflectable {
    /// The public halves only.
    public var description: String { "AccountKeys(\(accountId) on \(peerId))" }

    public var customMirror: Mirror { Mirror(self, children: ["accountId": accountId], displayStyle: .struct) }
}
