import BellhopInbox
import BellhopScreen
import BellhopTestSupport
import Testing

@testable import BellhopClient

@Suite("State that the screen keeps")
struct ScreenMemoryTests {
  private func memory(_ folder: String) throws -> ScreenMemory {
    ScreenMemory(
      try ClientContext(
        directories: Directories(root: folder), environment: [:], account: nil, usesPolling: nil))
  }

  @Test(
    "the dividers between panes are where they were at the last start",
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
    "a file with invalid content is ignored with a message",
    arguments: [
      "list-share = 4", "background = \"white\"", "background = \"#12345\"", "background = 7",
      "lower-share = \"wide\"", "preview-rows = -1", "tray-order = \"oldest\"",
      "history-order = 7", "[[", "\u{7}",
    ])
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

  @Test("the background is stored beside the dividers, and neither write removes the other")
  func background() throws {
    try TemporaryFolder.with { folder in
      let memory = try memory(folder)
      #expect(memory.load().background == nil)
      try memory.keep(.rgb(0x00FF0A))
      #expect(memory.load().background == .rgb(0x00FF0A) && memory.load().splits == Splits())
      let splits = Splits(listShare: 611, lowerShare: 90, previewRows: 12)
      try memory.keep(splits)
      #expect(memory.load().background == .rgb(0x00FF0A) && memory.load().splits == splits)
      try memory.keep(.rgb(0xFDF6E3))
      #expect(memory.load().background == .rgb(0xFDF6E3) && memory.load().splits == splits)
      #expect(memory.load().problem == nil)
    }
  }

  @Test("list orders are stored beside the dividers, and no write removes another's")
  func orders() throws {
    try TemporaryFolder.with { folder in
      let memory = try memory(folder)
      #expect(memory.load().orders == ListOrders())
      let splits = Splits(listShare: 611, lowerShare: 90, previewRows: 12)
      try memory.keep(splits)
      try memory.keep(ListOrders(tray: .level, handled: .app))
      #expect(memory.load().orders == ListOrders(tray: .level, handled: .app))
      #expect(memory.load().splits == splits)
      try memory.keep(.rgb(0x00FF0A))
      try memory.keep(ListOrders(history: .app))
      #expect(memory.load().orders == ListOrders(history: .app))
      #expect(memory.load().background == .rgb(0x00FF0A) && memory.load().splits == splits)
      let text = try PrivateFile.read(
        Directories(root: folder).state + "/screen.toml", isSecret: false)
      #expect(text?.contains("history-order = \"app\"\n") == true)
      #expect(text?.contains("tray-order") == false)
    }
  }

  @Test("a file of an earlier version loads, and one that cannot be parsed is left unchanged")
  func older() throws {
    try TemporaryFolder.with { folder in
      let path = Directories(root: folder).state + "/screen.toml"
      try Directories.make(Directories(root: folder).state)
      try PrivateFile.write("list-share = 611\nlower-share = 90\n", to: path)
      let memory = try memory(folder)
      let loaded = memory.load()
      #expect(loaded.splits == Splits(listShare: 611, lowerShare: 90))
      #expect(loaded.background == nil && loaded.problem == nil)
      #expect(loaded.orders == ListOrders())
      try PrivateFile.write("list-share = 4\n", to: path)
      try memory.keep(.rgb(0x000000))
      #expect(try PrivateFile.read(path, isSecret: false) == "list-share = 4\n")
    }
  }
}
