import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// Who may hold how much, and who gives way.
@Suite struct SharesTests {
    private static let accounts = (0..<6).map { _ in SigningKey().publicKey }
    private let limits = ShareLimits(total: 1000, connection: 25, account: 25, address: 50, reserve: 25)

    private func shares() -> Shares { Shares(limits) }

    @Test func sharesAreInPercentOfThePot() {
        #expect(limits.perConnection == 250)
        #expect(limits.perAddress == 500)
        #expect(limits.reserve == 250)
        #expect(limits.little == 50)
        #expect(ShareLimits(total: 10, connection: 25, account: 25, address: 50, reserve: 100).reserve == 9)
    }

    @Test func manyConnectionsOfAnAccountHaveOneShare() {
        var shares = shares()
        let first = shares.open(account: Self.accounts[0], address: AddressGroup(1))
        let second = shares.open(account: Self.accounts[0], address: AddressGroup(2))
        #expect(shares.take(251, by: first) == .refused(.connection, evicted: []))
        #expect(shares.take(200, by: first) == .granted(evicted: []))
        #expect(shares.take(51, by: second) == .refused(.account, evicted: []))
        #expect(shares.take(50, by: second) == .granted(evicted: []))
        shares.give(1000, by: first)
        #expect(shares.total == 50)
        #expect(shares.take(200, by: second) == .granted(evicted: []))
    }

    @Test func manyAccountsAtAnAddressHaveOneShare() {
        var shares = shares()
        let holders = Self.accounts.map { shares.open(account: $0, address: AddressGroup(1)) }
        #expect(shares.take(250, by: holders[0]) == .granted(evicted: []))
        #expect(shares.take(250, by: holders[1]) == .granted(evicted: []))
        #expect(shares.take(1, by: holders[2]) == .refused(.address, evicted: []))
        let elsewhere = shares.open(account: Self.accounts[2], address: AddressGroup(2))
        #expect(shares.take(250, by: elsewhere) == .granted(evicted: []))
    }

    @Test func theReserveIsForThoseWhoHoldLittle() {
        var shares = shares()
        let holders = (0..<4).map { shares.open(account: Self.accounts[$0], address: AddressGroup(UInt64($0))) }
        for holder in holders[..<3] { #expect(shares.take(250, by: holder) == .granted(evicted: [])) }
        // Nobody has to go for it.
        #expect(shares.take(50, by: holders[3]) == .granted(evicted: []))
        // More than a little is had only of those who hold more.
        #expect(shares.take(1, by: holders[3]) == .granted(evicted: [holders[0]]))
        #expect(shares.total == 551)
        #expect(!shares.isOpen(holders[0]))
        #expect(shares.take(1, by: holders[0]) == .refused(.connection, evicted: []))
    }

    @Test func theLargestIsTheFirstToGoAndNeverTheSmallOne() {
        var shares = shares()
        let small = shares.open(account: Self.accounts[0], address: AddressGroup(1))
        #expect(shares.take(40, by: small) == .granted(evicted: []))
        // Three accounts at one address, none of them the largest by itself.
        let crowd = (1..<4).map { shares.open(account: Self.accounts[$0], address: AddressGroup(2)) }
        for (holder, count) in zip(crowd, [150, 160, 150]) {
            #expect(shares.take(count, by: holder) == .granted(evicted: []))
        }
        let large = shares.open(account: Self.accounts[4], address: AddressGroup(3))
        #expect(shares.take(240, by: large) == .granted(evicted: []))
        let newcomer = shares.open(account: Self.accounts[5], address: AddressGroup(4))
        #expect(shares.take(60, by: newcomer) == .granted(evicted: [crowd[1]]))
        #expect(!shares.isOpen(crowd[1]))
        #expect(shares.take(190, by: newcomer) == .granted(evicted: [crowd[0]]))
        #expect(shares.bytes(of: small) == 40)
    }

    @Test func whoAsksGoesFirstAmongEquals() {
        let limits = ShareLimits(total: 100, connection: 100, account: 100, address: 100, reserve: 0)
        var shares = Shares(limits)
        let first = shares.open(account: Self.accounts[0], address: AddressGroup(1))
        let second = shares.open(account: Self.accounts[1], address: AddressGroup(2))
        #expect(shares.take(60, by: first) == .granted(evicted: []))
        #expect(shares.take(60, by: second) == .refused(.pot, evicted: []))
        #expect(shares.take(59, by: second) == .granted(evicted: [first]))
    }

    @Test func placesAreUsedAgainAndNamesAreNot() {
        var shares = shares()
        let first = shares.open(account: Self.accounts[0], address: AddressGroup(1))
        #expect(shares.take(100, by: first) == .granted(evicted: []))
        shares.close(first)
        shares.close(first)
        let second = shares.open(account: Self.accounts[1], address: AddressGroup(1))
        #expect(first != second)
        shares.give(100, by: first)
        #expect(shares.bytes(of: first) == 0)
        #expect(shares.total == 0)
        #expect(shares.take(100, by: second) == .granted(evicted: []))
    }

    // MARK: Against a naive one

    private struct Naive {
        struct Row {
            let holder: Shares.Holder
            let account: PublicKey
            let address: AddressGroup
            var bytes = 0
        }

        let limits: ShareLimits
        var rows: [Row] = []

        func sum(_ fits: (Row) -> Bool) -> Int { rows.filter(fits).reduce(0) { $0 + $1.bytes } }
        func of(_ account: PublicKey) -> Int { sum { $0.account == account } }
        func of(_ address: AddressGroup) -> Int { sum { $0.address == address } }

        func bound(_ count: Int, _ row: Row) -> Shares.Bound? {
            if row.bytes + count > limits.perConnection { return .connection }
            if of(row.account) + count > limits.perAccount { return .account }
            return of(row.address) + count > limits.perAddress ? .address : nil
        }

        func hasRoom(_ count: Int, _ row: Row) -> Bool {
            let total = sum { _ in true } + count
            let isLittle = of(row.account) + count <= limits.little && of(row.address) + count <= limits.little
            return total <= limits.total - (isLittle ? 0 : limits.reserve)
        }

        /// Everybody that nobody outranks, with who asks counted as if it had what it asks for.
        func largest(_ count: Int, _ asking: Shares.Holder) -> [Shares.Holder] {
            var grown = self
            for index in grown.rows.indices where grown.rows[index].holder == asking {
                grown.rows[index].bytes += count
            }
            func rank(_ row: Row) -> [Int] { [grown.of(row.address), grown.of(row.account), row.bytes] }
            let holding = grown.rows.filter { $0.bytes > 0 }
            let most = holding.map(rank).max { $0.lexicographicallyPrecedes($1) }
            return holding.filter { rank($0) == most }.map(\.holder)
        }
    }

    @Test(arguments: [1, 2, 3, 4]) func agreesWithSumsOverAListOfHolders(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var shares = shares()
        var naive = Naive(limits: limits)
        for _ in 0..<4000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where naive.rows.count < 24:
                let account = Self.accounts.randomElement(using: &random)!
                let address = AddressGroup(UInt64.random(in: 1...4, using: &random))
                naive.rows.append(
                    Naive.Row(
                        holder: shares.open(account: account, address: address), account: account, address: address))
            case 1 where !naive.rows.isEmpty:
                let index = Int.random(in: naive.rows.indices, using: &random)
                shares.close(naive.rows.remove(at: index).holder)
            case 2, 3, 4:
                guard let index = naive.rows.indices.randomElement(using: &random) else { continue }
                let count = Int.random(in: 0...200, using: &random)
                shares.give(count, by: naive.rows[index].holder)
                naive.rows[index].bytes -= min(count, naive.rows[index].bytes)
            default:
                guard let row = naive.rows.randomElement(using: &random) else { continue }
                try ask(Int.random(in: 1...120, using: &random), row, &shares, &naive)
            }
            #expect(shares.total == naive.sum { _ in true })
            #expect(naive.rows.allSatisfy { shares.bytes(of: $0.holder) == $0.bytes })
            #expect(shares.total <= limits.total)
        }
    }

    private func ask(_ count: Int, _ row: Naive.Row, _ shares: inout Shares, _ naive: inout Naive) throws {
        let verdict = shares.take(count, by: row.holder)
        if let bound = naive.bound(count, row) {
            #expect(verdict == .refused(bound, evicted: []))
            return
        }
        var evicted: [Shares.Holder]
        let isGranted: Bool
        switch verdict {
        case .granted(let holders): (evicted, isGranted) = (holders, true)
        case .refused(let bound, let holders):
            #expect(bound == .pot)
            (evicted, isGranted) = (holders, false)
        }
        while !naive.hasRoom(count, row) {
            let largest = naive.largest(count, row.holder)
            guard !largest.contains(row.holder) else { break }
            let victim = try #require(evicted.first)
            #expect(largest.contains(victim))
            evicted.removeFirst()
            naive.rows.removeAll { $0.holder == victim }
        }
        #expect(evicted.isEmpty)
        #expect(isGranted == naive.hasRoom(count, row))
        guard isGranted, let index = naive.rows.firstIndex(where: { $0.holder == row.holder }) else { return }
        naive.rows[index].bytes += count
    }
}
