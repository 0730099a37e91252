import TestSupport

@testable import AnySyncNet

extension ConnectionKind {
    /// What the conformance suite runs, each test once for each kind.
    static let tested = TestTransports.kinds
}
