public import FoundationEssentials

/// The replay of one vector file: knows every kind of case in it and refuses kinds it does not know.
protocol VectorFile {
    /// The file's name without `.json`.
    static var stem: String { get }

    /// Reads what is common to all cases.
    ///
    /// - Parameter file: the whole document.
    init(file: JSON) throws

    /// Runs one case.
    ///
    /// - Throws: ``VectorMismatch`` when the library does not do what the case says; any other error counts as a failure too.
    func replay(_ vector: JSON) throws
}

/// A case that did not hold.
public struct FailedCase: Hashable, Sendable {
    /// The case's `name`, or its kind and position.
    public let name: String
    /// What was expected and what came.
    public let reason: String

    public init(name: String, reason: String) {
        self.name = name
        self.reason = reason
    }
}

/// What became of one vector file.
public struct FileOutcome: Hashable, Sendable {
    /// The file's name without `.json`.
    public let name: String
    /// How many cases held.
    public let passed: Int
    /// The cases that did not.
    public let failures: [FailedCase]
}

/// Why a file could not be replayed at all.
public enum VectorFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No replay has this file's name.
    case unknownFile(String)
    /// The file is no vector file: not JSON, or without an array `cases`.
    case malformed(String, reason: String)

    public var description: String {
        switch self {
        case .unknownFile(let name):
            "\(name).json: no replay for a vector file of this name; known: "
                + VectorFiles.all.map { $0.stem }.joined(separator: ", ")
        case .malformed(let name, let reason):
            "\(name).json: not a vector file: \(reason)"
        }
    }
}

/// Runs every case of a vector file through the library.
///
/// - Parameters:
///   - data: the file's content.
///   - name: the file's name without `.json`; it chooses the replay: `acl`, or `acl-` and anything more.
/// - Returns: the outcome, one failure for each case that did not hold.
/// - Throws: ``VectorFileError``.
public func replayVectorFile(_ data: Data, named name: String) throws -> FileOutcome {
    guard let type = VectorFiles.replay(named: name) else { throw VectorFileError.unknownFile(name) }
    let replay: any VectorFile
    let cases: [JSON]
    do {
        let file = try JSON.parse(data)
        cases = try file.array("cases")
        replay = try type.init(file: file)
    } catch {
        throw VectorFileError.malformed(name, reason: "\(error)")
    }
    var passed = 0
    var failures: [FailedCase] = []
    for (index, vector) in cases.enumerated() {
        do {
            try replay.replay(vector)
            passed += 1
        } catch {
            failures.append(FailedCase(name: caseName(vector, index), reason: "\(error)"))
        }
    }
    return FileOutcome(name: name, passed: passed, failures: failures)
}

private func caseName(_ vector: JSON, _ index: Int) -> String {
    if let name = vector["name"]?.stringValue { return name }
    if let kind = vector["kind"]?.stringValue { return "\(kind) #\(index)" }
    return "#\(index)"
}
