/// The file `start-anew` in a folder: what is missing there may be made.
///
/// A folder that was in use and lacks a file has lost it, and must not be taken for a new folder. So the mark is made before
/// anything else in a new one and goes once everything is there, and a first start that was interrupted can be told from a
/// loss. Whoever has lost a file for good and wants to begin without it makes the mark by hand.
package struct StartAnewMark: Sendable {
    /// The file's name in its folder.
    package static let fileName = "start-anew"

    private let file: SecretFile

    /// The mark of `folder`, which need not be there.
    package init(in folder: String) {
        file = SecretFile(path: Paths.join(folder, Self.fileName))
    }

    /// Whether the mark is there.
    package var isSet: Bool { SystemCalls.isRegularFile(file.path) }

    /// Makes the mark, unless it is there.
    package func set() throws(FileError) {
        do throws(FileError) { try file.create([]) } catch {
            guard case .alreadyExists = error else { throw error }
        }
    }

    /// Takes the mark away: everything is there.
    package func clear() throws(FileError) {
        if !SystemCalls.isMissing(file.path) { try file.remove() }
    }

    /// How to begin anew on purpose, as the end of a sentence about what is missing.
    package var remedy: String { "to begin without it on purpose, run: touch '\(file.path)'" }
}
