import AnySyncWire
import Testing

@Suite struct RPCErrorTests {
    @Test func theCodeIsEightBytesBigEndian() {
        let error = RPCError(code: 0x0102_0304_0506_0708, text: "nö")
        #expect(error.encoded == [1, 2, 3, 4, 5, 6, 7, 8, 0x6e, 0xc3, 0xb6])
        #expect(RPCError(decoding: error.encoded[...]) == error)
        #expect(RPCError(decoding: ([0] + error.encoded)[1...]) == error)
    }

    @Test func aBodyWithoutCodeIsText() {
        #expect(RPCError(decoding: [0x61, 0x62]) == RPCError(code: 0, text: "ab"))
        #expect(RPCError(decoding: []) == RPCError(code: 0, text: ""))
    }

    @Test func theDescriptionIsFitForALog() {
        let error = RPCError(code: 5, text: "a\nb\u{202e}" + String(repeating: "z", count: 1000))
        #expect("\(error)".hasPrefix("rpc error 5: a\u{fffd}b\u{fffd}zzz"))
        #expect("\(error)".count < 230)
    }
}
