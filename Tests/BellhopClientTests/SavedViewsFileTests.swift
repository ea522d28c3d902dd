import BellhopInbox
import BellhopSettings
import BellhopTestSupport
import Testing

@testable import BellhopClient

@Suite("Files of saved views")
struct SavedViewsFileTests {
  private func context(_ folder: String) throws -> ClientContext {
    let directories = Directories(root: folder)
    try Directories.make(directories.config)
    return try ClientContext(
      directories: directories, environment: [:], account: nil, usesPolling: nil)
  }

  private func write(_ text: String, to name: String, in folder: String) throws {
    try Directories.make(Directories(root: folder).config)
    try PrivateFile.write(text, to: Directories(root: folder).config + "/" + name)
  }

  @Test("views from the configuration come first, those that the screen saved after them")
  func order() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let mine =
      "[[view]]\nname = \"disks\"\nfilter = \"app:nas\"\nlist = \"history\"\norder = \"app\"\n"
    try write(mine, to: "config.toml", in: folder.path)
    let context = try context(folder.path)
    let saved = SavedView(
      name: "ci \"main\"", filter: "app:ci group:\"a b\"", order: .level, isOwn: true)
    try SavedViewsFile(context).keep([saved])
    let loaded = SavedViewsFile(context).load()
    #expect(loaded.findings == [])
    #expect(
      loaded.views
        == [SavedView(name: "disks", filter: "app:nas", list: .history, order: .app), saved])
    // The user's own file is unchanged.
    let config = try PrivateFile.read(context.configPath, isSecret: false)
    #expect(config == mine)
    // A view that another screen saved meanwhile stays.
    let other = SavedView(name: "other", filter: "is:unread", list: .later, isOwn: true)
    try SavedViewsFile(context).keep([other])
    #expect(SavedViewsFile(context).load().views.map(\.name) == ["disks", "ci \"main\"", "other"])
  }

  @Test("a view is deleted alone, and deleting the last one leaves a valid file")
  func removed() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let context = try context(folder.path)
    let views = ["a", "b"].map { SavedView(name: $0, filter: "app:ci", isOwn: true) }
    try SavedViewsFile(context).keep(views)
    try SavedViewsFile(context).remove(named: "none")
    #expect(SavedViewsFile(context).load().views == views)
    try SavedViewsFile(context).remove(named: "a")
    #expect(SavedViewsFile(context).load().views == [views[1]])
    try SavedViewsFile(context).remove(named: "b")
    let loaded = SavedViewsFile(context).load()
    #expect(loaded.views.isEmpty && loaded.findings.isEmpty)
    try SavedViewsFile(context).keep([views[0]])
    #expect(SavedViewsFile(context).load().views == [views[0]])
  }

  @Test("an invalid filter is reported with a mark at the character; the other views load")
  func filters() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try write(
      "[[view]]\nname = \"a\"\nfilter = \"app:ci prio:soon\"\n[[view]]\nname = \"b\"\n"
        + "filter = \"after:2026-11-21\"\n", to: "config.toml", in: folder.path)
    let loaded = SavedViewsFile(try context(folder.path)).load()
    #expect(loaded.views.count == 2)
    #expect(loaded.findings.count == 1)
    let words = loaded.findings.first?.words ?? ""
    #expect(words.hasPrefix("line 3: the view “a”: app:ci prio:▸soon"), "\(words)")
  }

  @Test(
    "a table that is not a valid view is an error with its line",
    arguments: [
      ("[[view]]\nname = \"a\"\nfilter = \"x\"\n[[view]]\nname = 3\nfilter = \"y\"\n", "line 5"),
      ("[[view]]\nname = \"a\"\nfilter = \"x\"\nlist = \"apps\"\n", "line 4"),
      ("[[view]]\nname = \"a\"\n", "line 1"),
      ("view = 3\n", "line 1"),
    ])
  func structure(text: String, line: String) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try write(text, to: "config.toml", in: folder.path)
    let error = #expect(throws: ClientError.self) { try context(folder.path) }
    #expect(error?.what.contains("config.toml, \(line):") == true, "\(error?.what ?? "")")
  }

  @Test("a file of saved views with errors is ignored with a message, and never overwritten")
  func damaged() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try write("[[view]]\nname = \"a\"\n", to: "views.toml", in: folder.path)
    let shelf = SavedViewsFile(try context(folder.path))
    let loaded = shelf.load()
    #expect(loaded.views.isEmpty && loaded.findings.count == 1)
    #expect(loaded.findings.first?.words.contains("views.toml is ignored: line 1") == true)
    #expect(throws: ClientError.self) {
      try shelf.keep([SavedView(name: "b", filter: "x", isOwn: true)])
    }
  }
}
