import PushCrypto

/// Drives everything that is text for people: base58, addresses, network and peer ids, paths and phrases.
///
/// Whatever can be read is written back as it was, and whatever is written can be read. The bytes are tried as text, and
/// again inside an envelope that is right, so that the checks behind the checksum are reached too.
public func fuzzTextEncodings(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    fuzzBase58(bytes, text)
    fuzzKeyTexts(text)
    fuzzEnvelopes(bytes.prefix(64))
    fuzzDerivation(bytes, text)
}

private func fuzzBase58(_ bytes: [UInt8], _ text: String) {
    // What decoding takes: 256 characters are at least 187 bytes.
    let head = bytes.prefix(180)
    precondition(Base58.decode(Base58.encode(head)) == (head.isEmpty ? nil : Array(head)))
    if let decoded = Base58.decode(text) {
        precondition(Base58.encode(decoded) == text)
        precondition(text.utf8.count <= Base58.maximumLength)
    }
}

private func fuzzKeyTexts(_ text: String) {
    if let key = try? PublicKey(accountAddress: text) {
        precondition(key.accountAddress == text)
    }
    if let key = try? PublicKey(networkId: text) {
        precondition(key.networkId == text)
    }
    if let peer = try? PeerId(text) {
        precondition(peer.text == text)
    }
}

private func fuzzEnvelopes(_ bytes: ArraySlice<UInt8>) {
    let key = try? PublicKey(rawRepresentation: bytes)
    for version in [0x5b, 0xd3] as [UInt8] {
        var envelope = [version] + bytes
        let checksum = CRC16.checksum(envelope)
        envelope += [UInt8(checksum & 0xff), UInt8(checksum >> 8)]
        let text = Base58.encode(envelope)
        let account = try? PublicKey(accountAddress: text)
        let network = try? PublicKey(networkId: text)
        precondition(account == (version == 0x5b ? key : nil))
        precondition(network == (version == 0xd3 ? key : nil))
    }
    let peer = try? PeerId(Base58.encode([0x00, 0x24, 0x08, 0x01, 0x12, 0x20] + bytes))
    precondition(peer?.publicKey == key)
    if let key {
        precondition(key.rawRepresentation.elementsEqual(bytes))
        precondition((try? PublicKey(marshalled: key.marshalled)) == key)
    }
}

private func fuzzDerivation(_ bytes: [UInt8], _ text: String) {
    if let mnemonic = try? Mnemonic(text) {
        precondition(mnemonic.seed().count == 64)
    }
    // A phrase costs 2048 rounds of HMAC, too slow for every input; 32 bytes are tried as keys instead.
    if bytes.count < 32, let phrase = Mnemonic.phrase(entropy: bytes) {
        precondition((try? Mnemonic(phrase)) != nil)
    }
    let path = String(decoding: bytes.prefix(64), as: UTF8.self)
    _ = try? SLIP10Node(seed: bytes, path: path)
    if let node = try? SLIP21Node(seed: bytes, path: "m/" + path) {
        precondition(!path.isEmpty && node.symmetricKey.keyId.utf8.count == 64)
    }
}
