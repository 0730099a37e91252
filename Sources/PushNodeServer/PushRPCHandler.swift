import AnySyncNet
import PushCrypto

/// The push service as the RPC server calls it.
struct PushRPCHandler: RPCHandler {
    let service: PushService

    func handle(_ rpc: String, request: [UInt8], caller: CallerContext) async throws -> [UInt8] {
        let caller = Caller(identity: caller.identity, peerId: caller.peerId, address: caller.address)
        do throws(Refusal) {
            return try await service.handle(rpc, request: request, caller: caller)
        } catch {
            throw error.rpcError
        }
    }
}
