import ProtoWire

/// Counts the elements of a record's lists before any of them is kept: an empty one costs its sender two bytes, and whoever
/// reads it a hundred.
enum ACLElementCount {
    /// The most elements of all lists of a record. One that changes the read key has one for each member.
    static let maximum = 32_768

    // The fields of protocol.md §2 that lead to lists.
    private static let content = 1
    private static let accountRemove = 6
    private static let withLists = [accountRemove, 7, 10, 11]
    private static let readKeyChangeOfRemove = 2

    /// Counts the elements of `AclData`.
    ///
    /// - Throws: ``ACLError/Reason/tooManyElements(maximum:)``, or ``ACLError/Reason/malformed(_:_:)``.
    static func check(_ data: ArraySlice<UInt8>) throws(ACLError.Reason) {
        var count = 0
        do throws(ProtoError) {
            try walk(data) { field, reader throws(ProtoError) in
                count += 1
                guard field == content else { return try reader.skip() }
                try walk(try reader.slice()) { field, reader throws(ProtoError) in
                    guard withLists.contains(field) else { return try reader.skip() }
                    let isRemove = field == accountRemove
                    try walk(try reader.slice()) { field, reader throws(ProtoError) in
                        count += 1
                        guard isRemove, field == readKeyChangeOfRemove else { return try reader.skip() }
                        try walk(try reader.slice()) { _, reader throws(ProtoError) in
                            count += 1
                            try reader.skip()
                        }
                    }
                }
            }
        } catch {
            throw .malformed(.data, error)
        }
        guard count <= maximum else { throw .tooManyElements(maximum: maximum) }
    }

    private static func walk(
        _ message: ArraySlice<UInt8>, _ visit: (Int, inout ProtoReader) throws(ProtoError) -> Void
    ) throws(ProtoError) {
        var reader = ProtoReader(message)
        while let field = try reader.nextField() { try visit(field, &reader) }
    }
}
