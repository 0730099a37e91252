import FoundationEssentials
import TestSupport
import Testing
import VectorReplay

@testable import AnySyncNet

@Suite struct TLSRecordReaderTests {
    /// The TLS part of a recorded connection: every write is whole records, and what follows them is not touched.
    @Test(arguments: [1, 4, 6, 1000, Int.max])
    func aRecordedHandshakeInPieces(size: Int) throws {
        let data = try Data(contentsOf: Repository.vectors.appendingPathComponent("tcp_session.json"))
        let session = try #require(try JSON.parse(data).array("cases").first)
        for sender in ["client", "server"] {
            let writes = try session.array("writes").filter { $0["sender"]?.stringValue == sender }
            let tls = try writes.filter { $0["phase"]?.stringValue == "tls" }.flatMap { try $0.hex("bytes") }
            let plain = try writes.filter { $0["phase"]?.stringValue == "plain" }.flatMap { try $0.hex("bytes") }
            #expect(!tls.isEmpty && !plain.isEmpty)
            var reader = TLSRecordReader()
            var records: [UInt8] = []
            var rest: [UInt8] = []
            for piece in (tls + plain).chunks(of: size) {
                var input = piece
                while records.count < tls.count, let record = try reader.next(from: &input) { records += record }
                rest += input
            }
            #expect(records == tls)
            #expect(rest == plain)
            #expect(!reader.isInsideRecord)
        }
    }

    @Test func onlyRecordsAreTaken() throws {
        for type in UInt8(0)...255 where !(20...23).contains(type) {
            var reader = TLSRecordReader()
            var input: ArraySlice<UInt8> = [type]
            #expect(throws: TLSError.notTLS(firstByte: type)) { try reader.next(from: &input) }
        }
        var reader = TLSRecordReader()
        var longest: ArraySlice<UInt8> = [23, 3, 3, 0x41, 0x00]
        #expect(try reader.next(from: &longest) == nil)
        reader = TLSRecordReader()
        var tooLong: ArraySlice<UInt8> = [23, 3, 3, 0x41, 0x01]
        #expect(throws: TLSError.recordTooLong(limit: 16640, found: 16641)) { try reader.next(from: &tooLong) }
    }
}
