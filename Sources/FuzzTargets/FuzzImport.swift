import AnyServer

/// Reads any bytes as the body of an import.
public func fuzzImport(_ bytes: [UInt8]) {
    precondition(ImportRehearsal.readsLines(of: bytes), "a line that was written is read as another")
}

/// Reads any bytes as a change, and as the content of one.
public func fuzzChange(_ bytes: [UInt8]) {
    precondition(ImportRehearsal.readsChange(bytes), "a change that was written is read as another")
}
