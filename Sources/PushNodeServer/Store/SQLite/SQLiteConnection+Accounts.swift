import ProtoWire
import PushAPI
import PushCrypto
import SQLiteStorage

// Accounts and their devices.
extension SQLiteConnection {
    /// The number of an account, `nil` when nothing is kept of it.
    func account(_ identity: PublicKey) throws(SQLiteError) -> Int64? {
        try first("SELECT id FROM account WHERE identity = ?", .bytes(identity.rawRepresentation)) { $0.integer(0) }
    }

    /// The number of an account, which is given one if need be.
    func makeAccount(_ identity: PublicKey) throws(SQLiteError) -> Int64 {
        if let known = try account(identity) { return known }
        try run("INSERT INTO account (identity) VALUES (?)", .bytes(identity.rawRepresentation))
        return insertedId
    }

    /// Forgets an account that has neither devices nor topics.
    func dropEmptyAccount(_ account: Int64) throws(SQLiteError) {
        try run(
            """
            DELETE FROM account WHERE id = ?1
            AND NOT EXISTS (SELECT 1 FROM device WHERE account = ?1)
            AND NOT EXISTS (SELECT 1 FROM subscription WHERE account = ?1)
            """,
            .integer(account)
        )
    }

    func setToken(
        _ token: WireString, platform: Platform, of caller: Caller, at time: NodeTime, limit: Int, accountLimit: Int,
        mayGrow: Bool = true
    ) throws(SQLiteError) -> TokenRegistration {
        // Whoever learns a phone's token can have it for an account of theirs; a phone's own accounts are few.
        let known = try self.account(caller.identity)
        let others = try first(
            "SELECT count(*) FROM device WHERE token = ? AND platform = ? AND account <> ?",
            .text(token), .integer(Int64(platform.rawValue)), .integer(known ?? 0)
        ) { $0.integer(0) }
        guard let others, others < accountLimit else { return .tooManyAccounts }
        let account = try makeAccount(caller.identity)
        let peer = SQLiteValue.bytes(caller.peerId.publicKey.rawRepresentation)
        // The app on a phone keeps its token when it is set up anew under another device key.
        try run(
            "DELETE FROM device WHERE token = ? AND platform = ? AND account = ? AND peer <> ?",
            .text(token), .integer(Int64(platform.rawValue)), .integer(account), peer
        )
        try run(
            "UPDATE device SET platform = ?, token = ?, set_at = ? WHERE account = ? AND peer = ?",
            .integer(Int64(platform.rawValue)), .text(token), .time(time), .integer(account), peer
        )
        if changes > 0 { return .registered }
        let count = try first("SELECT count(*) FROM device WHERE account = ?", .integer(account)) { $0.integer(0) }
        guard let count, count < limit else { return .tooManyDevices }
        guard mayGrow else { throw .full }
        try run(
            "INSERT INTO device (account, peer, platform, token, set_at) VALUES (?, ?, ?, ?, ?)",
            .integer(account), peer, .integer(Int64(platform.rawValue)), .text(token), .time(time)
        )
        return .registered
    }

    func revokeToken(of caller: Caller) throws(SQLiteError) {
        guard let account = try account(caller.identity) else { return }
        try run(
            "DELETE FROM device WHERE account = ? AND peer = ?",
            .integer(account), .bytes(caller.peerId.publicKey.rawRepresentation)
        )
        try dropEmptyAccount(account)
    }

    /// Forgets every device with a token that the provider says is nobody's, unless it was set after that was said.
    func dropToken(_ token: WireString, platform: Platform, setBefore time: NodeTime) throws(SQLiteError) {
        let accounts = try all(
            "SELECT account FROM device WHERE token = ? AND platform = ? AND set_at <= ?",
            .text(token), .integer(Int64(platform.rawValue)), .time(time)
        ) { $0.integer(0) }
        for account in accounts {
            try run(
                "DELETE FROM device WHERE token = ? AND platform = ? AND account = ?",
                .text(token), .integer(Int64(platform.rawValue)), .integer(account)
            )
            try dropEmptyAccount(account)
        }
    }
}
