import TestSupport

/// The points of Ed25519 whose order divides 8, in every encoding that the curve equation accepts.
///
/// Canonical ones first: orders 1, 2, 4, 4, 8, 8, 8, 8; then those with y = p or p + 1 instead of 0 or 1. "Negative
/// zero", x = 0 with the sign bit, is among them: the reference and we take its y for what it is.
enum SmallOrderPoints {
    static let canonical = decode([
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ])

    static let nonCanonical = decode([
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ])

    static let all = canonical + nonCanonical

    private static func decode(_ points: [String]) -> [[UInt8]] {
        points.compactMap { try? OfficialVectors.bytes(hex: $0) }
    }
}
