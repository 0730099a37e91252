import PushCrypto
import Testing

@Suite struct Bytes32Tests {
    /// A type with a wider alignment than a word may hold a 256-bit vector, which async functions write past their frame.
    @Test func keysAreWordsAndNoVectors() {
        #expect(MemoryLayout<PublicKey>.alignment <= MemoryLayout<UInt64>.alignment)
        #expect(MemoryLayout<PublicKey>.size == PublicKey.byteCount)
    }

    @Test func theBytesAreKeptInOrder() {
        let bytes = (1...40).map { UInt8($0) }
        #expect(Bytes32(bytes).withBytes { Array($0) } == Array(bytes.prefix(32)))
        #expect(Bytes32(bytes).withPointer { $0[31] } == 32)
        #expect(Bytes32(bytes.prefix(3)).withBytes { Array($0) } == [1, 2, 3] + [UInt8](repeating: 0, count: 29))
    }

    @Test func everyByteCounts() {
        for position in 0..<32 {
            var bytes = [UInt8](repeating: 7, count: 32)
            bytes[position] = 8
            #expect(Bytes32(bytes) != Bytes32([UInt8](repeating: 7, count: 32)))
        }
    }
}
