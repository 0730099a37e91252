package import PushCrypto

/// The memory that an endpoint has for its peers, and who holds how much of it: what arrives, what runs, and what peers have
/// not taken yet.
///
/// Unchecked because it is mutable: it and what it hands out are used on the loop's thread only, so a byte more or less costs
/// a few additions and no lock.
package final class SharePot: @unchecked Sendable {
    /// What the pot tells its endpoint.
    package enum News: Sendable {
        /// Who asked was refused: the pot is short, and nobody holds more.
        case short
        /// The largest holder had to go: the pot is short.
        case evicted
        /// Who asked was refused: it has its share.
        case overShare
    }

    private let loop: EventLoop
    private var shares: Shares
    private var holdings: [Shares.Holder: Holding] = [:]
    private let trim: MemoryTrim
    private let onNews: @Sendable (News) -> Void

    package init(_ limits: ShareLimits, on loop: EventLoop, onNews: @escaping @Sendable (News) -> Void = { _ in }) {
        self.loop = loop
        self.onNews = onNews
        shares = Shares(limits)
        trim = MemoryTrim(loop)
    }

    /// Bytes held in all.
    package var total: Int { shares.total }

    /// Takes in a connection, until ``Holding/close()``.
    package func open(account: PublicKey, address: AddressGroup) -> Holding {
        loop.assertOnLoop()
        let holder = shares.open(account: account, address: address)
        let holding = Holding(holder, of: self)
        holdings[holder] = holding
        return holding
    }

    fileprivate func take(_ count: Int, _ holder: Shares.Holder) -> Bool {
        loop.assertOnLoop()
        let isOpen = shares.isOpen(holder)
        let evicted: [Shares.Holder]
        let isGranted: Bool
        switch shares.take(count, by: holder) {
        case .granted(let holders):
            (evicted, isGranted) = (holders, true)
        case .refused(let bound, let holders):
            (evicted, isGranted) = (holders, false)
            // One that had to go may ask until it hears of it.
            if isOpen { onNews(bound == .pot ? .short : .overShare) }
        }
        for victim in evicted {
            onNews(.evicted)
            // Not from within: it may be the caller's own caller.
            if let onEvicted = holdings.removeValue(forKey: victim)?.onEvicted { loop.execute(onEvicted) }
        }
        watchPeak()
        return isGranted
    }

    fileprivate func give(_ count: Int, _ holder: Shares.Holder) {
        loop.assertOnLoop()
        shares.give(count, by: holder)
        watchPeak()
    }

    fileprivate func close(_ holder: Shares.Holder) {
        loop.assertOnLoop()
        shares.close(holder)
        holdings[holder] = nil
        watchPeak()
    }

    fileprivate func bytes(of holder: Shares.Holder) -> Int { shares.bytes(of: holder) }

    private func watchPeak() {
        trim.holding(shares.total + holdings.count * Self.connectionCost)
    }

    /// About what a connection takes by itself, TLS included.
    private static let connectionCost = 16 * 1024
}

/// What one connection holds of a ``SharePot``. Unchecked for the same reason.
package final class Holding: @unchecked Sendable {
    private let holder: Shares.Holder
    private let pot: SharePot
    private var buffered = 0
    /// Closes the connection, because it holds the most and the pot is short.
    package var onEvicted: (@Sendable () -> Void)?

    fileprivate init(_ holder: Shares.Holder, of pot: SharePot) {
        self.holder = holder
        self.pot = pot
    }

    /// Bytes held now.
    package var byteCount: Int { pot.bytes(of: holder) }

    /// Asks for bytes; `false` when they are more than this connection may have.
    package func take(_ count: Int) -> Bool {
        count <= 0 || pot.take(count, holder)
    }

    /// Gives bytes back.
    package func give(_ count: Int) {
        guard count > 0 else { return }
        pot.give(count, holder)
    }

    /// Says how much the connection itself has in its buffers now.
    ///
    /// - Returns: `false` when that is more than it may; the connection is to be closed then.
    package func buffer(_ count: Int) -> Bool {
        let difference = count - buffered
        guard difference != 0 else { return true }
        buffered = count
        if difference < 0 {
            pot.give(-difference, holder)
            return true
        }
        guard pot.take(difference, holder) else {
            buffered = count - difference
            return false
        }
        return true
    }

    /// Gives everything back, for good.
    package func close() {
        pot.close(holder)
    }

    /// Why a connection is closed that holds the most.
    package static let evictedDetail = "it held the most when memory for peers was short"
    /// Why a connection is closed that asks for too much.
    package static let refusedDetail = "it asked for more than its share of the memory for peers"

    /// What a stream takes by itself, counted beyond the number that an ordinary client opens (protocol.md §5: about 10).
    package static let streamCost = 4096
    /// See ``streamCost``.
    package static let freeStreams = 16
}
