import AnySyncNet
import Locks
import PushAPI

/// Says who may call now: each account by its own buckets, and each address by those of so many accounts.
final class CallRateLimiter: Sendable {
    /// Calls that share a bucket.
    private enum Kind: Hashable {
        case notify, notifySilent, topics, subscriptions, outcomes, tokens, spaces, topicChanges
    }

    private struct AccountKey: Hashable {
        let account: SenderTag
        let kind: Kind
    }

    private struct AddressKey: Hashable {
        let address: AddressGroup
        let kind: Kind
    }

    private struct Tables {
        var accounts = RateTable<AccountKey>(capacity: 65_536)
        var addresses = RateTable<AddressKey>(capacity: 16_384)
    }

    private let rates: CallRates
    private let clock: Timeline
    private let tables = SystemLock(Tables())

    init(_ rates: CallRates, clock: Timeline) {
        self.rates = rates
        self.clock = clock
    }

    /// Counts a call.
    ///
    /// - Throws: ``Refusal`` when it comes too soon; it is not counted then.
    func admit(_ call: PushRPC, _ caller: Caller) throws(Refusal) {
        let (kind, rate) = rate(of: call)
        let now = clock.now
        let account = AccountKey(account: SenderTag(caller.identity), kind: kind)
        let address = Self.address(of: caller).map { AddressKey(address: $0, kind: kind) }
        let addressRate = rate.times(rates.accountsPerAddress)
        let (wait, isAddress) = tables.withLock { tables in
            var wait = tables.accounts.wait(account, for: 1, rate, now: now)
            guard wait == .zero else { return (wait, false) }
            if let address { wait = tables.addresses.wait(address, for: 1, addressRate, now: now) }
            guard wait == .zero else { return (wait, true) }
            tables.accounts.take(account, 1, rate, now: now)
            if let address { tables.addresses.take(address, 1, addressRate, now: now) }
            return (wait, false)
        }
        guard wait > .zero else { return }
        let name =
            (call.rawValue.split(separator: "/").last ?? "") + (isAddress ? " calls from this address" : " calls")
        let limit = isAddress ? addressRate : rate
        throw Refusal(
            .rateLimited,
            "too many \(name): \(limit.perSecond) a second are taken; try again in \(Self.seconds(wait)) s"
        )
    }

    /// Counts topics that an account changes.
    ///
    /// - Returns: whether they may be changed now; only then are they counted.
    func takeTopicChanges(_ count: Int, of account: SenderTag) -> Bool {
        guard count > 0 else { return true }
        let key = AccountKey(account: account, kind: .topicChanges)
        let (rate, now) = (rates.topicChanges, clock.now)
        return tables.withLock { tables in
            guard tables.accounts.wait(key, for: count, rate, now: now) == .zero else { return false }
            tables.accounts.take(key, count, rate, now: now)
            return true
        }
    }

    /// Where a caller is counted; `nil` for this machine, where a proxy speaks for many.
    private static func address(of caller: Caller) -> AddressGroup? {
        caller.address.flatMap { $0.isLoopback ? nil : $0 }
    }

    private func rate(of call: PushRPC) -> (Kind, CallRate) {
        switch call {
        case .notify: (.notify, rates.notify)
        case .notifySilent: (.notifySilent, rates.notify)
        case .subscribe, .subscribeAll, .unsubscribe: (.topics, rates.topics)
        case .subscriptions: (.subscriptions, rates.subscriptions)
        case .outcomes: (.outcomes, rates.outcomes)
        case .setToken, .revokeToken: (.tokens, rates.tokens)
        case .createSpace, .removeSpace: (.spaces, rates.spaces)
        }
    }

    private static func seconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return attoseconds > 0 ? seconds + 1 : seconds
    }
}
