/// Text that a peer chose, made fit for a log line or an error.
package enum PeerText {
    /// The first scalars of `bytes` with control characters and malformed UTF-8 replaced.
    ///
    /// - Parameter limit: the most scalars kept; an ellipsis marks a cut.
    package static func printable(_ bytes: some Collection<UInt8>, limit: Int = 80) -> String {
        // A scalar takes at most four bytes, so what is past them is never looked at.
        let head = String(decoding: bytes.prefix(limit * 4), as: UTF8.self)
        var text = ""
        var count = 0
        for scalar in head.unicodeScalars {
            guard count < limit else { return text + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
                text.unicodeScalars.append("\u{fffd}")
            default:
                text.unicodeScalars.append(scalar)
            }
            count += 1
        }
        return bytes.count > limit * 4 ? text + "…" : text
    }
}
