/// Suggestions for mistyped words.
package enum Spelling {
    /// The word nearest to `word`, if one is near enough to be meant: at most a third of its letters differ.
    package static func nearest(to word: String, among known: [String]) -> String? {
        let ranked = known.map { ($0, distance(Array(word), Array($0))) }
        guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= max(word.count / 3, 1) else { return nil }
        return best.0
    }

    // Levenshtein's distance, row by row.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let substitution = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substitution, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
