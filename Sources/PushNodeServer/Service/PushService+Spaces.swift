import PushAPI
import PushCrypto
import SQLiteStorage

extension PushService {
    /// Registers a space; one that is registered already is fine, as it is with the reference today.
    func createSpace(_ request: SpaceRequest, _ caller: Caller) async throws(Refusal) {
        try verify(request, caller)
        let creation = try await stored { () async throws(StoreError) in
            try await store.createSpace(
                request.spaceKey, author: caller.identity, at: clock.calendar, limit: limits.spacesPerAccount
            )
        }
        guard creation != .tooMany else {
            throw Refusal(
                .limitExceeded,
                "the account has registered \(limits.spacesPerAccount) spaces, which is the limit; remove one first"
            )
        }
    }

    /// Forgets a space that the caller registered; one that it did not is left, and the answer is the same.
    ///
    /// Who is subscribed stays so: registration is a record, and the reference delivers to spaces nobody registered.
    func removeSpace(_ request: SpaceRequest, _ caller: Caller) async throws(Refusal) {
        try verify(request, caller)
        try await stored { () async throws(StoreError) in
            try await store.removeSpace(request.spaceKey, author: caller.identity)
        }
    }

    // The space key vouches for the account: nobody else can use the signature.
    private func verify(_ request: SpaceRequest, _ caller: Caller) throws(Refusal) {
        let key = try TopicVerifier.spaceKey(request.spaceKey, "the request")
        guard key.isValidSignature(request.accountSignature, for: Array(caller.identity.accountAddress.utf8)) else {
            throw Refusal(.invalidSignature, "the account signature is not the space key's over the caller's address")
        }
    }
}
