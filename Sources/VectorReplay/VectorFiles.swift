/// Every replay, by the name of its file.
enum VectorFiles {
    static var all: [any VectorFile.Type] {
        []
    }
}
