import ProtoWire
import PushCrypto

/// The fields of a change's body, each read once and checked when asked for. Of a field that stands twice the last
/// counts.
struct ChangeFields {
    private var slices: [Int: ArraySlice<UInt8>] = [:]
    private var numbers: [Int: UInt64] = [:]

    // No body has more; what newer software adds above is passed over.
    private static let highestField = 15

    /// Reads a body's fields: those with bytes, and the numbers among `numbers`.
    ///
    /// - Throws: ``ChangeError/malformed(_:)``.
    init(_ bytes: [UInt8], numbers numberFields: Set<Int> = []) throws(ChangeError) {
        var slices: [Int: ArraySlice<UInt8>] = [:]
        var numbers: [Int: UInt64] = [:]
        try ChangeError.reading { () throws(ProtoError) in
            var reader = ProtoReader(bytes)
            while let field = try reader.nextField() {
                if numberFields.contains(field) {
                    numbers[field] = try reader.varint()
                } else if field <= Self.highestField {
                    slices[field] = try reader.slice()
                } else {
                    try reader.skip()
                }
            }
        }
        self.slices = slices
        self.numbers = numbers
    }

    func isAbsent(_ field: Int) -> Bool { slices[field]?.isEmpty ?? true }
    func bytes(_ field: Int) -> ArraySlice<UInt8> { slices[field] ?? [] }
    func flag(_ field: Int) -> Bool { numbers[field, default: 0] != 0 }

    /// A field as text.
    ///
    /// - Parameter lengths: how many bytes it may have.
    /// - Throws: ``ChangeError/wrongField(_:)``.
    func text(_ field: Int, _ name: String, _ lengths: ClosedRange<Int>) throws(ChangeError) -> String {
        let bytes = bytes(field)
        guard lengths.contains(bytes.count), let text = String(validating: bytes, as: UTF8.self) else {
            throw .wrongField(name)
        }
        return text
    }

    /// A field as the id of a chat or a message: a ``CID`` by its length.
    ///
    /// - Throws: ``ChangeError/wrongField(_:)``.
    func objectId(_ field: Int, _ name: String) throws(ChangeError) -> String {
        try text(field, name, CID.textLength...CID.textLength)
    }
}
