import PushCrypto
import Testing

@Suite struct Base58Tests {
    @Test func everyLengthAndLeadingZerosRoundTrip() {
        var generator = SplitMix(state: 7)
        for length in 0..<80 {
            for zeros in [0, 1, length / 2, length] where zeros <= length {
                var bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
                for index in 0..<zeros { bytes[index] = 0 }
                #expect(Base58.encode(bytes) == reference(bytes))
                #expect(Base58.decode(Base58.encode(bytes)) == (bytes.isEmpty ? nil : bytes))
            }
        }
    }

    // Long division by 58, one digit at a time.
    private func reference(_ bytes: [UInt8]) -> String {
        let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
        var number = Array(bytes.drop { $0 == 0 })
        var text: [Character] = []
        while !number.isEmpty {
            var remainder = 0
            number = number.map { byte in
                let value = remainder << 8 | Int(byte)
                remainder = value % 58
                return UInt8(value / 58)
            }
            text.append(alphabet[remainder])
            number = Array(number.drop { $0 == 0 })
        }
        text += Array(repeating: alphabet[0], count: bytes.prefix { $0 == 0 }.count)
        return String(text.reversed())
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
