import Testing

@testable import BellhopClient

@Suite("The folder of the programs")
struct ProgramFolderTests {
  @Test(
    "it is bin for an installed program, otherwise that of the file",
    arguments: [
      ("/usr/lib/bellhop/bellhop-programs", "/usr/bin"),
      ("/home/a/.local/lib/bellhop/bellhop-programs", "/home/a/.local/bin"),
      ("/src/.build/release/bellhop-programs", "/src/.build/release"),
      ("/usr/local/bin/bellhop", "/usr/local/bin"),
    ])
  func folders(executable: String, folder: String) {
    #expect(PrivateStore.folder(ofExecutable: executable) == folder)
  }
}
