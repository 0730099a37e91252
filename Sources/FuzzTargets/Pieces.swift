/// Cuts an input at places that its own bytes choose, so that a finding can be repeated.
func pieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    var state: UInt64 = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    while !rest.isEmpty {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        // Short pieces mostly: boundaries inside headers are where mistakes hide.
        let piece = rest.prefix(Int(state >> 60) == 0 ? 1000 : Int(state >> 61) + 1)
        pieces.append(piece)
        rest = rest.dropFirst(piece.count)
    }
    return pieces
}
