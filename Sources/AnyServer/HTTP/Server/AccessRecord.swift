/// One served request, for the log. Holds neither ids of the path nor anything of the query, the headers or the bodies.
struct AccessRecord: Hashable, Sendable {
    let requestId: String
    let method: String
    /// The route's template, `nil` when there is none.
    let route: String?
    let status: Int
    /// From the complete head to the end of the response.
    let duration: Duration
    /// Whether the client got all of it.
    let isComplete: Bool
}
