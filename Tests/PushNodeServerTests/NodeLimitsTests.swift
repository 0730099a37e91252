import Testing

@testable import PushNodeServer

@Suite struct NodeLimitsTests {
    @Test func everyLimitTakesItsOwnDefaultAndHasANameOfItsOwn() throws {
        var limits = NodeLimits()
        for limit in NodeLimit.all { try limits.set("\(limit.name)=\(limit.defaultText)") }
        #expect(limits == NodeLimits())
        #expect(Set(NodeLimit.all.map(\.name)).count == NodeLimit.all.count)
    }

    @Test func everyLimitSetsOneValueAndNoOther() throws {
        for limit in NodeLimit.all {
            let next = limit.read(NodeLimits()) + 1
            let value = limit.range.contains(next) ? next : limit.range.lowerBound
            var limits = NodeLimits()
            try limits.set("\(limit.name)=\(limit.unit.text(value))")
            #expect(limits != NodeLimits())
            #expect(NodeLimit.all.filter { $0.text(in: limits) != $0.defaultText } == [limit])
        }
    }

    @Test func valuesAreWrittenInUnits() {
        #expect(LimitUnit.bytes.value(of: "16GiB") == 16 << 30)
        #expect(LimitUnit.bytes.value(of: "1000") == 1000)
        #expect(LimitUnit.bytes.text(64 << 20) == "64MiB")
        #expect(LimitUnit.bytes.text(1000) == "1000")
        #expect(LimitUnit.duration.value(of: "500ms") == 500)
        #expect(LimitUnit.duration.value(of: "2h") == 7_200_000)
        #expect(LimitUnit.duration.text(600_000) == "10m")
        #expect(LimitUnit.duration.text(0) == "0ms")
        #expect(LimitUnit.perSecond.value(of: "50/s") == 50)
        for text in ["", "-1", "1.5", "s", "1 s", "1kb", "9223372036854775807d", "١"] {
            #expect(LimitUnit.duration.value(of: text) == nil)
        }
    }

    @Test func whatIsWrongIsSaidWithTheFix() {
        var limits = NodeLimits()
        func message(_ text: String) -> String? {
            do throws(NodeLimitError) {
                try limits.set(text)
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(message("connections") == "the limit \"connections\" has no value; write NAME=VALUE")
        #expect(message("conections=1") == "there is no limit named \"conections\"")
        #expect(
            message("connections=0")
                == "the limit connections cannot be \"0\"; give a whole number from 1 to 1000000000")
        #expect(
            message("idle-time=10")?.hasSuffix("give a duration, such as 500ms, 10s, 5m or 2h, from 1ms to 30d") == true
        )
        #expect(limits == NodeLimits())
    }
}
