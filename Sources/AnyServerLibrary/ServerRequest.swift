import AnyServer

#if QUIC
    import AnySyncNet
    import AnySyncQUIC
#endif

/// What a C program asks a server to be.
struct ServerRequest: Sendable {
    private(set) var options: EmbeddedOptions
    private(set) var controlToken: String?
    // A text that is not UTF-8 would be read as another: a path would lead elsewhere.
    private var isText = true

    init(
        _ dataDirectory: UnsafePointer<CChar>?, _ listenAddress: UnsafePointer<CChar>?,
        _ nodeConfiguration: UnsafePointer<CChar>?
    ) {
        options = EmbeddedOptions(dataDirectory: "")
        options.dataDirectory = text(dataDirectory)
        let listenAddress = text(listenAddress)
        if !listenAddress.isEmpty { options.listenAddress = listenAddress }
        options.nodeConf = text(nodeConfiguration)
    }

    mutating func setPush(peerId: UnsafePointer<CChar>?, addresses: UnsafePointer<CChar>?) {
        options.pushPeerId = text(peerId)
        options.pushAddresses = text(addresses)
    }

    mutating func setManaged(controlToken: UnsafePointer<CChar>?) {
        options.mode = "managed"
        let text = text(controlToken)
        self.controlToken = text.isEmpty ? nil : text
    }

    /// The options that the server takes.
    func serverOptions() throws -> AnyServerOptions {
        guard isText else { throw Refusal.notText }
        guard !options.dataDirectory.isEmpty else { throw Refusal.noDataDirectory }
        var token: ControlToken?
        if let controlToken {
            guard let given = ControlToken(controlToken) else { throw Refusal.badControlToken }
            token = given
        }
        var server = try AnyServerOptions(embedded: options, controlToken: token)
        #if QUIC
            server.transports = { [TCPTransport($0), try QUICTransport($0)] }
        #endif
        return server
    }

    /// What can not be asked for.
    enum Refusal: Error, CustomStringConvertible {
        case notText
        case noDataDirectory
        case badControlToken

        var description: String {
            switch self {
            case .notText: "an argument is not UTF-8, and paths and texts must be"
            case .noDataDirectory: "the data directory is not given"
            case .badControlToken: "the control token must be 16 to 256 visible ASCII characters"
            }
        }
    }

    private mutating func text(_ pointer: UnsafePointer<CChar>?) -> String {
        guard let pointer else { return "" }
        let text = String(validatingCString: pointer)
        if text == nil { isText = false }
        return text ?? ""
    }
}
