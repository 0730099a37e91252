/// CRC-16/XMODEM: polynomial 0x1021, initial value 0, no reflection.
public enum CRC16 {
    /// The checksum of `bytes`.
    public static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { crc, byte in
            (0..<8).reduce(crc ^ UInt16(byte) << 8) { crc, _ in
                crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021
            }
        }
    }
}
