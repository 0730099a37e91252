import ProtoWire
import PushAPI
import SQLiteStorage

extension PushService {
    /// Registers the caller's device token in the place of its earlier one.
    ///
    /// A device is an account on a peer: one phone with several accounts has one device for each of them, all with the same
    /// token.
    func setToken(_ request: SetTokenRequest, _ caller: Caller) async throws(Refusal) {
        guard request.platform.name != nil else {
            let platform = request.platform.rawValue
            throw Refusal(.invalidToken, "unknown platform \(platform), expected 0 (iOS) or 1 (Android)")
        }
        guard !request.token.isEmpty else { throw Refusal(.invalidToken, "the token is empty") }
        let count = request.token.bytes.count
        guard count <= limits.tokenBytes else {
            throw Refusal(.limitExceeded, "the token has \(count) bytes, the limit is \(limits.tokenBytes)")
        }
        // Providers take tokens as JSON text; other bytes can not even be sent to them.
        guard String(validating: request.token.bytes, as: UTF8.self) != nil else {
            throw Refusal(.invalidToken, "the token is not UTF-8")
        }
        let registration = try await stored { () async throws(StoreError) in
            try await store.setToken(
                request.token, platform: request.platform, of: caller, at: clock.now, limit: limits.devicesPerAccount,
                accountLimit: limits.accountsPerToken
            )
        }
        switch registration {
        case .registered: break
        case .tooManyDevices:
            throw Refusal(
                .limitExceeded,
                "the account has \(limits.devicesPerAccount) devices, which is the limit; revoke a token first"
            )
        case .tooManyAccounts:
            throw Refusal(
                .limitExceeded,
                "\(limits.accountsPerToken) accounts have registered this token, which is the limit; revoke it for one"
            )
        }
    }

    /// Forgets the caller's device; one that is not known is fine.
    func revokeToken(_ request: Ok, _ caller: Caller) async throws(Refusal) {
        try await stored { () async throws(StoreError) in try await store.revokeToken(of: caller) }
    }
}
