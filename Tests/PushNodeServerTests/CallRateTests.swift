import AnySyncNet
import AnySyncWire
import ProtoWire
import PushAPI
import PushNode
import TestSupport
import Testing

@testable import PushNodeServer

@Suite struct CallRateTests {
    private let space = TestSpace()
    private let sender = Member()

    private func request(_ number: Int) -> NotifyRequest {
        let payload = Array("message \(number)".utf8)
        return NotifyRequest(topics: space.topics("chats"), message: sender.message(payload), groupId: "")
    }

    private func service() async throws -> TestService {
        var limits = ServiceLimits()
        limits.rates.notify = CallRate(perSecond: 10, burst: 30)
        return try await TestService(limits: limits)
    }

    @Test func anHonestBurstPassesWithTheDefaults() async throws {
        let service = try await TestService()
        for number in 0..<300 { try await service.call(.notify, request(number), as: sender) }
    }

    @Test func aFloodIsAnsweredWithTryLaterAndTheRestGoesOn() async throws {
        let service = try await service()
        for number in 0..<30 { try await service.call(.notify, request(number), as: sender) }
        for _ in 0..<20 {
            let refusal = await service.refusal(.notify, request(99), as: sender)
            #expect(refusal?.reason == .rateLimited)
            // What the reference's clients take as temporary.
            #expect(refusal?.rpcError.code == 1200)
            #expect(refusal?.text == "too many Notify calls: 10 a second are taken; try again in 1 s")
        }
        #expect(service.service.status.refused == [.rateLimited: 20])
        // Other calls of the account, and other accounts, have buckets of their own.
        let silent = NotifyRequest(topics: space.topics(sender.address), message: nil, groupId: "")
        try await service.call(.notifySilent, silent, as: sender)
        try await service.call(.subscriptions, SubscriptionsRequest(), as: sender)
        let other = Member()
        let message = other.message([1])
        let theirs = NotifyRequest(topics: space.topics("chats"), message: message, groupId: "")
        try await service.call(.notify, theirs, as: other)
        // Refused calls cost nothing: a second later there are ten more.
        service.clock.clock.advance(by: .seconds(1))
        for number in 100..<110 { try await service.call(.notify, request(number), as: sender) }
        #expect(await service.refusal(.notify, request(110), as: sender)?.reason == .rateLimited)
    }

    @Test func everyCallHasALimit() async throws {
        var limits = ServiceLimits()
        let once = CallRate(perSecond: 1, burst: 1)
        (limits.rates.notify, limits.rates.topics, limits.rates.subscriptions) = (once, once, once)
        (limits.rates.tokens, limits.rates.spaces, limits.rates.outcomes) = (once, once, once)
        for rpc in PushRPC.allCases {
            let service = try await TestService(limits: limits)
            _ = try? await service.service.handle(rpc.rawValue, request: [], caller: sender.caller)
            let refusal = await service.refusal(rpc.rawValue, [], as: sender)
            #expect(refusal?.reason == .rateLimited)
        }
    }

    @Test func manyAccountsOfOneAddressHaveABucketTogether() async throws {
        var limits = ServiceLimits()
        limits.rates.notify = CallRate(perSecond: 1, burst: 2)
        limits.rates.accountsPerAddress = 3
        let service = try await TestService(limits: limits)
        func outcome(_ ip: String) async throws -> RefusalReason? {
            let member = Member()
            let address = AddressGroup(try #require(SocketAddress(ip: ip, port: 1)))
            let caller = Caller(identity: member.identity, peerId: member.caller.peerId, address: address)
            let request = NotifyRequest(topics: space.topics("chats"), message: member.message([1]), groupId: "")
            do throws(Refusal) {
                _ = try await service.service.handle(
                    PushRPC.notify.rawValue, request: request.encoded(), caller: caller)
                return nil
            } catch {
                return error.reason
            }
        }
        for host in 0..<6 { #expect(try await outcome("2001:db8::\(host)") == nil) }
        #expect(try await outcome("2001:db8::ffff") == .rateLimited)
        #expect(try await outcome("2001:db8:0:1::1") == nil)
        #expect(try await outcome("192.0.2.1") == nil)
        // A proxy on this machine speaks for many.
        for ip in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            for _ in 0..<5 { #expect(try await outcome(ip) == nil) }
        }
    }

    @Test func aTimeThatGoesBackDoesNotKeepABucketEmpty() {
        let rate = CallRate(perSecond: 10, burst: 10)
        func time(_ seconds: Int64) -> NodeTime { NodeTime(milliseconds: seconds * 1000) }
        var bucket = RateBucket(rate, now: time(1_000_000))
        bucket.take(10)
        bucket.fill(rate, now: time(5))
        #expect(bucket.wait(for: 1, rate) == .milliseconds(100))
        bucket.fill(rate, now: time(6))
        #expect(bucket.wait(for: 10, rate) == .zero)
    }

    @Test func aTableIsBoundedAndFullBucketsGoFirst() {
        let rate = CallRate(perSecond: 1, burst: 100)
        let now = NodeTime(milliseconds: 0)
        var table = RateTable<Int>(capacity: 8)
        table.take(0, 100, rate, now: now)
        for owner in 1...10_000 { table.take(owner, 1, rate, now: now) }
        #expect(table.count == 8)
        #expect(table.wait(0, for: 1, rate, now: now) == .seconds(1))
    }

    @Test func moreThanABurstPassesOnceTheBucketIsFull() {
        let rate = CallRate(perSecond: 1, burst: 10)
        let now = NodeTime(milliseconds: 0)
        var table = RateTable<Int>(capacity: 8)
        #expect(table.wait(0, for: 25, rate, now: now) == .zero)
        table.take(0, 25, rate, now: now)
        #expect(table.wait(0, for: 1, rate, now: now) == .seconds(16))
    }
}
