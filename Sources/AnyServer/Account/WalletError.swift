public import PushCrypto
public import SecretFiles

/// Why there is no wallet to work with. Files are named and left as they are; nothing of a key or a passkey is shown.
public enum WalletError: Error, Hashable, Sendable {
    /// There is no wallet at the path.
    case notFound(path: String)
    /// There is a wallet at the path already, and it is never overwritten.
    case alreadyExists(path: String)
    /// The file is the wallet of another program.
    case foreign(path: String)
    /// The file is of a version that this software does not know.
    case unsupportedVersion(path: String, found: UInt64)
    /// The file is damaged.
    case damaged(path: String, reason: String)
    /// The wallet is encrypted and no passkey was given.
    case passkeyRequired(path: String)
    /// A passkey was given for a wallet that is not encrypted.
    case notEncrypted(path: String)
    /// The passkey does not open the wallet: it is another, or the file was changed. Nothing can tell which.
    case wrongPasskey(path: String)
    /// Opening the wallet would need more time or memory than any wallet of ours does.
    case tooCostly(path: String)
    /// The system has no memory for the passkey's derivation.
    case outOfMemory
    /// The wallet is another account's than the one asked for.
    case otherAccount(path: String, expected: String, found: String)
    /// The phrase is none.
    case badPhrase(Mnemonic.Failure)
    /// The account index is 2^31 or more.
    case badIndex(UInt32)
    /// The file can not be read or written.
    case file(FileError)
}

extension WalletError: CustomStringConvertible {
    /// What is wrong with which file, and what to do.
    public var description: String {
        switch self {
        case .notFound(let path): "no wallet at \(path); make one with `any init`"
        case .alreadyExists(let path): "\(path) exists already and was left as it is; move it away first"
        case .foreign(let path):
            "\(path) is no wallet of this software; use another data directory and restore the account from its phrase"
        case .unsupportedVersion(let path, let found):
            "\(path) is a wallet of version \(found), this software reads \(WalletFile.version); update it"
        case .damaged(let path, let reason):
            "\(path) is damaged (\(reason)); put a backup in its place, or move it away and restore the account from its phrase"
        case .passkeyRequired(let path):
            "\(path) is encrypted; give the passkey in \(Passkey.defaultVariable) or with --passkey-stdin"
        case .notEncrypted(let path):
            "\(path) is not encrypted, but a passkey was given; leave the passkey away, or restore the account with it"
        case .wrongPasskey(let path): "the passkey does not open \(path): it is wrong, or the file was changed"
        case .tooCostly(let path):
            "\(path) asks for other amounts of memory and time than any wallet; it was changed, so put a backup in its place"
        case .outOfMemory:
            "not enough memory to use the passkey; \(PasskeyBox.Cost.standard.memory >> 20) MiB must be free"
        case .otherAccount(let path, let expected, let found):
            "\(path) is the wallet of \(found), not of \(expected); put the right file there or choose the other account"
        case .badPhrase(let failure): "the phrase can not be used: \(failure.explanation)"
        case .badIndex(let index): "account index \(index) is out of range; it must be below 2147483648"
        case .file(let error): error.description
        }
    }
}

extension Mnemonic.Failure {
    fileprivate var explanation: String {
        switch self {
        case .wrongWordCount(let count): "it has \(count) words, expected 12, 15, 18, 21 or 24"
        case .unknownWord(let position): "word \(position) is not in the English BIP-39 list (words are lower-case)"
        case .wrongChecksum: "its words do not belong together; check their spelling and order"
        case .tooLong(let count): "it has \(count) bytes, more than any phrase"
        case .derivationUnavailable: "the system's cryptography refused it"
        }
    }
}
