import BellhopInbox
import BellhopTestSupport
import Testing

@testable import BellhopClient

@Suite("What the screen remembers")
struct ScreenMemoryTests {
  private func memory(_ folder: String) throws -> ScreenMemory {
    ScreenMemory(
      try ClientContext(
        directories: Directories(root: folder), environment: [:], account: nil, usesPolling: nil))
  }

  @Test(
    "the rules between the panes are where they were at the last start",
    arguments: [Splits(), Splits(listShare: 611, lowerShare: 90, previewRows: 12)])
  func kept(_ splits: Splits) throws {
    try TemporaryFolder.with { folder in
      let memory = try memory(folder)
      #expect(memory.load().splits == Splits() && memory.load().problem == nil)
      try memory.keep(splits)
      #expect(memory.load().splits == splits && memory.load().problem == nil)
    }
  }

  @Test(
    "a file that was not written here is passed over with a line",
    arguments: ["list-share = 4", "lower-share = \"wide\"", "preview-rows = -1", "[[", "\u{7}"])
  func damaged(_ text: String) throws {
    try TemporaryFolder.with { folder in
      let directories = Directories(root: folder)
      try Directories.make(directories.state)
      try PrivateFile.write(text, to: directories.state + "/screen.toml")
      let loaded = try memory(folder).load()
      #expect(loaded.splits == Splits())
      #expect(loaded.problem?.contains("screen.toml") == true)
    }
  }
}
