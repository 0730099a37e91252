import Glibc
import TestSupport
import Testing

@testable import SecretFiles

/// Folders and files that another user made, or may change.
@Suite struct TrustTests {
    private let folder: TemporaryDirectory
    private var root: String { folder.path("data") }
    private var file: String { folder.path("data/key") }

    init() throws {
        folder = try TemporaryDirectory()
        try Folder.create(folder.path("data"))
        try folder.write("secret", to: "data/key")
    }

    @Test func ourOwnIsFine() throws {
        try Folder.requireTrusted(root)
        #expect(try SecretFile(path: file).read(limit: 100) == Array("secret".utf8))
        // As the README has it, beside other people's folders.
        try Folder.requireTrusted(folder.path)
    }

    @Test(arguments: [0o770, 0o707, 0o1777] as [UInt32]) func aFolderThatOthersMayWriteIsRefused(mode: UInt32) throws {
        chmod(root, mode)
        #expect(throws: FileError.writableByOthers(path: try Folder.real(root), mode: mode)) {
            try Folder.requireTrusted(root)
        }
    }

    @Test func aFolderAboveThatOthersMayWriteIsRefusedUnlessItIsShared() throws {
        chmod(folder.path, 0o777)
        #expect(throws: FileError.writableByOthers(path: try Folder.real(folder.path), mode: 0o777)) {
            try Folder.requireTrusted(root)
        }
        chmod(folder.path, 0o1777)
        try Folder.requireTrusted(root)
    }

    @Test(.enabled(if: geteuid() == 0)) func aFolderOfAnotherUserIsRefused() throws {
        chown(root, 65_534, 65_534)
        let error = FileError.ofAnotherUser(path: try Folder.real(root), owner: 65_534)
        #expect(throws: error) { try Folder.requireTrusted(root) }
        #expect("\(error)".contains("chown 0"))
        chown(root, 0, 0)
        chown(folder.path, 65_534, 65_534)
        #expect(throws: FileError.ofAnotherUser(path: try Folder.real(folder.path), owner: 65_534)) {
            try Folder.requireTrusted(root)
        }
        chown(folder.path, 0, 0)
        // A link that somebody could point elsewhere.
        let link = folder.path("link")
        try #require(symlink(root, link) == 0)
        try Folder.requireTrusted(link)
        lchown(link, 65_534, 65_534)
        #expect(throws: FileError.ofAnotherUser(path: link, owner: 65_534)) { try Folder.requireTrusted(link) }
    }

    @Test(.enabled(if: geteuid() == 0)) func aFileOfAnotherUserIsRefused() throws {
        chown(file, 65_534, 65_534)
        let error = FileError.ofAnotherUser(path: file, owner: 65_534)
        #expect(throws: error) { try SecretFile(path: file).read(limit: 100) }
        #expect(throws: error) { try OwnFile.check(file) }
    }

    @Test func aFileThatOthersMayWriteIsRefused() throws {
        chmod(file, 0o666)
        #expect(throws: FileError.openToOthers(path: file, mode: 0o666)) { try SecretFile(path: file).read(limit: 100) }
        #expect(throws: FileError.writableByOthers(path: file, mode: 0o666)) {
            try BoundedFile.read(file, limit: 100, isOwn: true)
        }
        chmod(file, 0o644)
        #expect(try BoundedFile.read(file, limit: 100, isOwn: true) != nil)
    }

    @Test func aFileWithASecondNameIsRefused() throws {
        try #require(link(file, folder.path("elsewhere")) == 0)
        #expect(throws: FileError.hasOtherNames(path: file)) { try SecretFile(path: file).read(limit: 100) }
        #expect(throws: FileError.hasOtherNames(path: file)) { try OwnFile.check(file) }
    }

    @Test func aSecondNameThatGoesBetweenTwoLooksIsAWriteThatEnded() throws {
        let temporary = folder.path("data/temporary")
        try #require(link(file, temporary) == 0)
        let refusal = try OwnFile.refusal(of: file, isSecret: true) { () throws(SystemCode) in
            var status = stat()
            guard stat(file, &status) == 0 else { throw SystemCode.last }
            unlink(temporary)
            return status
        }
        #expect(refusal == nil)
    }

    @Test func linksAndPipesAreRefusedWithoutWaiting() throws {
        let link = folder.path("data/link")
        try #require(symlink(file, link) == 0)
        #expect(throws: FileError.notARegularFile(path: link)) { try SecretFile(path: link).read(limit: 100) }
        #expect(throws: FileError.notARegularFile(path: link)) {
            _ = try OwnFile.open(link, O_RDWR | O_CREAT, mode: 0o600)
        }
        #expect(throws: FileError.notARegularFile(path: link)) { try OwnFile.check(link) }
        // What its owner has named may be one.
        #expect(try SecretFile(path: link).read(limit: 100, followsLinks: true) != nil)
        let pipe = folder.path("data/pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(throws: FileError.notARegularFile(path: pipe)) { try SecretFile(path: pipe).read(limit: 100) }
        #expect(throws: FileError.notARegularFile(path: pipe)) { _ = try OwnFile.open(pipe, O_RDONLY) }
    }
}
