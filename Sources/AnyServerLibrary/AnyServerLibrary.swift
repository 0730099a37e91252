// What anyserver.h declares; the compiler holds the two together. The texts of a call are copied before it returns.

internal import AnyServer
internal import CAnyServer
internal import Glibc

@c @implementation
public func AnyServerStart(
    _ dataDirectory: UnsafePointer<CChar>?, _ listenAddress: UnsafePointer<CChar>?,
    _ nodeConfiguration: UnsafePointer<CChar>?
) -> CInt {
    ProcessServer.shared.start(ServerRequest(dataDirectory, listenAddress, nodeConfiguration)).rawValue
}

@c @implementation
public func AnyServerStartWithPush(
    _ dataDirectory: UnsafePointer<CChar>?, _ listenAddress: UnsafePointer<CChar>?,
    _ nodeConfiguration: UnsafePointer<CChar>?, _ pushPeerId: UnsafePointer<CChar>?,
    _ pushAddresses: UnsafePointer<CChar>?
) -> CInt {
    var request = ServerRequest(dataDirectory, listenAddress, nodeConfiguration)
    request.setPush(peerId: pushPeerId, addresses: pushAddresses)
    return ProcessServer.shared.start(request).rawValue
}

@c @implementation
public func AnyServerStartManaged(
    _ dataDirectory: UnsafePointer<CChar>?, _ listenAddress: UnsafePointer<CChar>?,
    _ nodeConfiguration: UnsafePointer<CChar>?, _ pushPeerId: UnsafePointer<CChar>?,
    _ pushAddresses: UnsafePointer<CChar>?, _ controlToken: UnsafePointer<CChar>?
) -> CInt {
    var request = ServerRequest(dataDirectory, listenAddress, nodeConfiguration)
    request.setPush(peerId: pushPeerId, addresses: pushAddresses)
    request.setManaged(controlToken: controlToken)
    return ProcessServer.shared.start(request).rawValue
}

@c @implementation
public func AnyServerStop() {
    ProcessServer.shared.stop(graceful: true)
}

@c @implementation
public func AnyServerStopNow() {
    ProcessServer.shared.stop(graceful: false)
}

@c @implementation
public func AnyServerAddress() -> UnsafeMutablePointer<CChar>? {
    ProcessServer.shared.address.flatMap { strdup($0) }
}

@c @implementation
public func AnyServerControlToken() -> UnsafeMutablePointer<CChar>? {
    ProcessServer.shared.controlToken.flatMap { strdup($0) }
}

@c @implementation
public func AnyServerLastError() -> UnsafeMutablePointer<CChar>? {
    ProcessServer.shared.lastError.flatMap { strdup($0) }
}

@c @implementation
public func AnyServerVersion() -> UnsafeMutablePointer<CChar>? {
    strdup(AnyServer.version)
}

@c @implementation
public func AnyServerFree(_ text: UnsafeMutablePointer<CChar>?) {
    guard let text else { return }
    explicit_bzero(text, strlen(text))
    free(text)
}
