/// A route's path, such as `/v1/spaces/:id/settings`.
struct PathTemplate: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// One part between slashes.
    enum Segment: Hashable, Sendable {
        case literal(String)
        /// Any text that is not empty, under a name.
        case parameter(String)
    }

    let segments: [Segment]

    init(_ text: String) {
        segments = text.split(separator: "/").map { part in
            part.first == ":" ? .parameter(String(part.dropFirst())) : .literal(String(part))
        }
    }

    init(stringLiteral text: String) {
        self.init(text)
    }

    /// The names of the parameters in order.
    var parameters: [String] {
        segments.compactMap { segment in
            guard case .parameter(let name) = segment else { return nil }
            return name
        }
    }

    var description: String {
        text { ":\($0)" }
    }

    /// The path as OpenAPI writes it: `/v1/spaces/{id}/settings`.
    var openAPIPath: String {
        text { "{\($0)}" }
    }

    private func text(parameter: (String) -> String) -> String {
        "/"
            + segments.map { segment in
                switch segment {
                case .literal(let text): text
                case .parameter(let name): parameter(name)
                }
            }.joined(separator: "/")
    }
}
