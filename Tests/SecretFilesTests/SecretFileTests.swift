import Glibc
import SecretFiles
import TestSupport
import Testing

@Suite struct SecretFileTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test func whatIsWrittenIsReadByItsOwnerOnly() throws {
        let file = SecretFile(path: folder.path("secret"))
        try file.create(Array("one".utf8))
        #expect(try file.read(limit: 3) == Array("one".utf8))
        #expect(folder.mode("secret") == 0o600)
        try file.replace(with: Array("two, longer".utf8))
        #expect(try file.read(limit: 100) == Array("two, longer".utf8))
        #expect(folder.mode("secret") == 0o600)
        #expect(try folder.names() == ["secret"])
    }

    @Test func replacingTightensAFileThatWasOpen() throws {
        try folder.write("old", to: "secret", mode: 0o644)
        try SecretFile(path: folder.path("secret")).replace(with: [1])
        #expect(folder.mode("secret") == 0o600)
    }

    @Test func anEmptySecretIsAFileToo() throws {
        let file = SecretFile(path: folder.path("secret"))
        try file.create([])
        #expect(try file.read(limit: 0) == [])
    }

    @Test func aFileThatIsThereIsNotCreatedAgain() throws {
        let path = try folder.write("mine", to: "secret")
        #expect(throws: FileError.alreadyExists(path: path)) { try SecretFile(path: path).create([1]) }
        #expect(try folder.text("secret") == "mine")
        #expect(try folder.names() == ["secret"])
    }

    @Test func aDanglingLinkIsNotWrittenThrough() throws {
        let path = folder.path("secret")
        symlink(folder.path("elsewhere"), path)
        #expect(throws: FileError.alreadyExists(path: path)) { try SecretFile(path: path).create([1]) }
        #expect(try folder.names() == ["secret"])
    }

    @Test func removingSaysWhetherThereWasOne() throws {
        let file = SecretFile(path: try folder.write("x", to: "secret"))
        #expect(try file.remove())
        #expect(try !file.remove())
        #expect(try file.read(limit: 10) == nil)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o602] as [UInt32])
    func aFileThatOthersHaveAccessToIsRefused(mode: UInt32) throws {
        let path = try folder.write("x", to: "secret", mode: mode)
        #expect(throws: FileError.openToOthers(path: path, mode: mode)) {
            try SecretFile(path: path).read(limit: 10)
        }
    }

    @Test func aLongFileIsRefusedUnread() throws {
        let path = try folder.write("0123456789a", to: "secret")
        #expect(throws: FileError.tooLarge(path: path, limit: 10)) { try SecretFile(path: path).read(limit: 10) }
    }

    @Test(.timeLimit(.minutes(5))) func aPipeIsRefusedAndNotWaitedFor() throws {
        let path = folder.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        #expect(throws: FileError.notARegularFile(path: path)) { try SecretFile(path: path).read(limit: 10) }
        #expect(throws: FileError.notARegularFile(path: folder.path)) {
            try SecretFile(path: folder.path).read(limit: 10)
        }
    }

    @Test func errorsNameTheFileAndTheFix() throws {
        let path = try folder.write("x", to: "secret", mode: 0o644)
        let error = #expect(throws: FileError.self) { try SecretFile(path: path).read(limit: 10) }
        #expect(
            error.map(String.init(describing:))
                == "\(path) is open to other users (mode 0644); run: chmod 600 '\(path)'")
        let missing = #expect(throws: FileError.self) {
            try SecretFile(path: folder.path("no/secret")).replace(with: [1])
        }
        #expect(missing == .failed(.createTemporary, path: folder.path("no/secret"), code: ENOENT))
    }
}
