internal import BellhopInbox
internal import BellhopModel
internal import BellhopSettings

/// What the screen remembers from one start to the next, in `screen.toml` among the state: where the
/// rules between the panes are.
struct ScreenMemory {
  private let folder: String
  private var path: String { folder + "/screen.toml" }

  init(_ context: ClientContext) { folder = context.directories.state }

  /// What was kept last, and a line where it cannot be read: then everything is as at first.
  func load() -> (splits: Splits, problem: String?) {
    do {
      guard let text = try PrivateFile.read(path, isSecret: false) else { return (Splits(), nil) }
      // What is no TOML was not written here either.
      let settings = (try? TOMLSource.settings(text)) ?? ["list-share": .other]
      if let splits = read(settings) { return (splits, nil) }
      return (Splits(), "\(path) is not understood: the panes are as at first.")
    } catch {
      return (Splits(), error.explanation + " The panes are as at first.")
    }
  }

  /// Keeps them whole or not at all; after a power loss they may be the old ones.
  ///
  /// - Throws: ``ClientError``.
  func keep(_ splits: Splits) throws {
    var text = "list-share = \(splits.listShare)\nlower-share = \(splits.lowerShare)\n"
    if let rows = splits.previewRows { text += "preview-rows = \(rows)\n" }
    try Directories.make(folder)
    try PrivateFile.write(text, to: path, isSynced: false)
  }

  /// Nil when a value is none that could have been kept; keys of a newer version are passed over.
  private func read(_ settings: [String: TOMLSetting]) -> Splits? {
    var splits = Splits()
    func number(_ key: String, _ range: ClosedRange<Int>, _ set: (Int) -> Void) -> Bool {
      guard let value = settings[key] else { return true }
      guard let number = value.number, range.contains(number) else { return false }
      set(number)
      return true
    }
    guard number("list-share", Splits.shares, { splits.listShare = $0 }),
      number("lower-share", Splits.shares, { splits.lowerShare = $0 }),
      number("preview-rows", Splits.rows, { splits.previewRows = $0 })
    else { return nil }
    return splits
  }
}
