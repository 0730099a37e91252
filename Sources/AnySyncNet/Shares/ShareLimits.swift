/// How a pot of bytes is shared out.
package struct ShareLimits: Hashable, Sendable {
    /// Bytes in all.
    package var total: Int
    /// The most that one connection may hold.
    package var perConnection: Int
    /// The most that one account may hold, all its connections together.
    package var perAccount: Int
    /// The most that one address may hold, all its accounts together.
    package var perAddress: Int
    /// What is kept back for those who hold little.
    package var reserve: Int
    /// Who holds no more than this, as an account and as an address, may draw on the reserve.
    package var little: Int

    /// Shares in percent of the pot.
    ///
    /// - Parameters:
    ///   - total: bytes in all.
    ///   - connection: the most of one connection.
    ///   - account: the most of one account.
    ///   - address: the most of one address.
    ///   - reserve: what is kept back for those who hold no more than a twentieth of the pot, which is a message of the
    ///     largest size and some more.
    package init(total: Int, connection: Int, account: Int, address: Int, reserve: Int) {
        func share(_ percent: Int) -> Int { Int((Double(total) * Double(percent) / 100).rounded(.down)) }
        self.total = total
        perConnection = share(connection)
        perAccount = share(account)
        perAddress = share(address)
        self.reserve = share(min(reserve, 90))
        little = share(5)
    }
}
