import BellhopTestSupport
import Testing

/// The names of files and folders, compared across modules.
@Suite("File names")
struct FileNameTests {
  /// Names that two modules give to the same idea, with the reason.
  static let sharedNames: [String: String] = [
    "AccountCommands.swift": commandReason,
    "AgentCommand.swift": commandReason,
    "AppCommands.swift": commandReason,
    "AttachmentCommand.swift": commandReason,
    "AttentionCommand.swift": commandReason,
    "CategoryCommands.swift": commandReason,
    "ChangeCommands.swift": commandReason,
    "ChooseCommand.swift": commandReason,
    "ConfigCommands.swift": commandReason,
    "DeviceCommands.swift": commandReason,
    "DoctorCommand.swift": commandReason,
    "ListCommands.swift": commandReason,
    "OutboxCommand.swift": commandReason,
    "PlaceCommands.swift": commandReason,
    "PublishCommand.swift": commandReason,
    "RequestCommands.swift": commandReason,
    "RuleCommands.swift": commandReason,
    "ThemeCommands.swift": commandReason,
    "TokenCommands.swift": commandReason,
    "WatchCommand.swift": commandReason,
    "main.swift": "The entry point of a program.",
    "ManPageCommand.swift": "Each program prints its own manual pages.",
    "FilterSQL.swift": "Cache and store each translate a filter into SQL over their own tables.",
    "MemoryTransaction.swift": "Cache and store each have a backend in memory.",
    "SQLiteTransaction.swift": "Cache and store each have a backend on SQLite.",
    "SQLiteTransaction+Items.swift": "Cache and store each have a backend on SQLite.",
    "SQLiteTransaction+Rules.swift": "Cache and store each have a backend on SQLite.",
    "Schema.swift": "Cache and store each migrate their own tables.",
  ]
  private static let commandReason =
    "bellhop parses the arguments, and BellhopCommands runs the command."

  /// Folders with the name of a module, with the reason.
  static let foldersLikeModules: [String: String] = [
    "Sources/BellhopManual/Store":
      "The topics for those who run a store, beside `User`. Links from outside lead there."
  ]

  /// Maps the name of each file to the modules that have such a file.
  static func modules(of paths: [String]) -> [String: Set<String>] {
    paths.reduce(into: [:]) { modules, path in
      let parts = path.split(separator: "/").map(String.init)
      guard parts.count > 2, let name = parts.last else { return }
      modules[name, default: []].insert(parts[1])
    }
  }

  /// Returns the folders within modules that have the name of a module without its prefix.
  static func foldersLikeModules(in paths: [String]) -> Set<String> {
    let prefix = "Bellhop"
    let parts = paths.map { $0.split(separator: "/").map(String.init) }.filter { $0.count > 2 }
    let names = Set(
      parts.map { $0[1] }.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    )
    return parts.reduce(into: []) { folders, path in
      for end in path.indices.dropFirst(2).dropLast() where names.contains(path[end]) {
        folders.insert(path[...end].joined(separator: "/"))
      }
    }
  }

  @Test("files of two modules share a name only if they are the same idea")
  func fileNames() throws {
    let paths = try SourceTree.swiftFiles(below: "Sources").map(\.path)
    #expect(paths.count > 500)
    let shared = Self.modules(of: paths).filter { $0.value.count > 1 }
    for (name, modules) in shared where Self.sharedNames[name] == nil {
      Issue.record("\(modules.sorted()) share the name \(name). Rename one, or add a reason here.")
    }
    for name in Self.sharedNames.keys where shared[name] == nil {
      Issue.record("Only one module has a file \(name). Remove its reason here.")
    }
  }

  @Test("no folder of a module has the name of another module")
  func folderNames() throws {
    let paths = try ["swift", "md"].flatMap { type in
      try SourceTree.files(below: "Sources", type: type).map(\.path)
    }
    #expect(Self.foldersLikeModules(in: paths).sorted() == Self.foldersLikeModules.keys.sorted())
  }

  @Test("shared names and folders are found in a list of paths")
  func findings() {
    let paths = [
      "Sources/BellhopText/Width/Cells.swift", "Sources/BellhopInbox/Cells.swift",
      "Sources/BellhopInbox/Lists/Text/Row.swift", "Sources/BellhopInbox/Text.swift",
    ]
    #expect(Self.modules(of: paths)["Cells.swift"] == ["BellhopText", "BellhopInbox"])
    #expect(Self.modules(of: paths)["Row.swift"] == ["BellhopInbox"])
    #expect(Self.foldersLikeModules(in: paths) == ["Sources/BellhopInbox/Lists/Text"])
  }
}
