import Glibc
import SecretFiles
import TestSupport
import Testing

@Suite struct FolderTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test func missingFoldersAreMadeForTheirOwnerOnly() throws {
        try Folder.create(folder.path("a/b/c"))
        #expect(folder.mode("a") == 0o700)
        #expect(folder.mode("a/b/c") == 0o700)
        try Folder.create(folder.path("a/b/c"))
    }

    @Test func aFolderThatIsThereIsLeftAsItIs() throws {
        try Folder.create(folder.path("a"))
        chmod(folder.path("a"), 0o755)
        try Folder.create(folder.path("a/b"))
        #expect(folder.mode("a") == 0o755)
    }

    @Test func aFileInTheWayIsAnError() throws {
        let path = try folder.write("", to: "a")
        #expect(throws: FileError.failed(.createFolder, path: path, code: ENOTDIR)) { try Folder.create(path) }
        #expect(throws: FileError.failed(.createFolder, path: path + "/b", code: ENOTDIR)) {
            try Folder.create(path + "/b")
        }
    }

    @Test func namesAreListedWithoutTheDots() throws {
        #expect(try Folder.names(in: folder.path("nothing")) == [])
        #expect(try Folder.names(in: folder.path) == [])
        try folder.write("", to: "é")
        try folder.write("", to: ".hidden")
        #expect(try Folder.names(in: folder.path).sorted() == [".hidden", "é"])
    }

    @Test func pathsAreSplitAndJoined() {
        #expect(Paths.folder(of: "a/b") == "a")
        #expect(Paths.folder(of: "/a") == "/")
        #expect(Paths.folder(of: "a") == ".")
        #expect(Paths.name(of: "/a/b") == "b")
        #expect(Paths.name(of: "b") == "b")
        #expect(Paths.join("/", "a") == "/a")
        #expect(Paths.join("/x", "a") == "/x/a")
    }
}
