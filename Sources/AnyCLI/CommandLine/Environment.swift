import Glibc

/// The process's environment variables.
enum Environment {
    /// The value of one variable, `nil` when it is not set, or empty.
    static subscript(name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// All of them that are text. Those that ``checkText()`` looks at are.
    static var all: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let line = entry.pointee {
            if let text = String(validatingCString: line), let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            entry += 1
        }
        return variables
    }

    /// Refuses a variable of ours that is not UTF-8. Read as a text it would be another: a path would lead elsewhere.
    static func checkText() throws(CommandFailure) {
        var entry = environ
        while let line = entry.pointee {
            entry += 1
            guard String(validatingCString: line) == nil else { continue }
            let name = String(decoding: UnsafeRawBufferPointer(start: line, count: strcspn(line, "=")), as: UTF8.self)
            guard name.hasPrefix("ANY_") || ["HOME", "XDG_CONFIG_HOME"].contains(name) else { continue }
            throw CommandFailure(
                "the environment variable \(name) is not UTF-8, and paths must be; rename the folder, or name another")
        }
    }

    /// The words of the command line.
    ///
    /// - Throws: for one that is not UTF-8, as ``checkText()``.
    static func words() throws(CommandFailure) -> [String] {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let start = CommandLine.unsafeArgv[index] else { break }
            guard let word = String(validatingCString: start) else {
                let shown = String(decoding: UnsafeRawBufferPointer(start: start, count: strlen(start)), as: UTF8.self)
                throw CommandFailure("argument \(index), \"\(shown)\", is not UTF-8, and ids, texts and paths must be")
            }
            words.append(word)
        }
        return words
    }

    /// The directory that the process works in.
    ///
    /// - Throws: when its path is not UTF-8.
    static func workingDirectory() throws(CommandFailure) -> String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        guard let text = String(validatingCString: path) else {
            throw CommandFailure("the path of the working directory is not UTF-8; run the command in another")
        }
        return text
    }
}
