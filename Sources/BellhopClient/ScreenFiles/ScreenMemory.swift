package import BellhopInbox
internal import BellhopModel
package import BellhopScreen
internal import BellhopSettings

/// The screen's state between two runs, in `screen.toml` of the state directory.
///
/// It contains the positions of the lines between the panes, the orders of the lists, and the
/// terminal's background. A key is never renamed or removed: programs of two versions may share the
/// file.
package struct ScreenMemory {
  private let folder: String
  private var path: String { folder + "/screen.toml" }

  /// The content of the file.
  private struct Kept: Hashable {
    /// The positions; nil if the lines were never moved.
    var splits: Splits?
    var orders = ListOrders()
    /// The terminal's background; nil if no terminal has answered yet.
    var background: Color?
  }

  package init(_ context: ClientContext) { folder = context.directories.state }

  /// Returns the last saved state, or the defaults and a problem if the file cannot be read.
  package func load() -> (splits: Splits, orders: ListOrders, background: Color?, problem: String?)
  {
    do {
      if let kept = try read() {
        return (kept.splits ?? Splits(), kept.orders, kept.background, nil)
      }
      return (
        Splits(), ListOrders(), nil, "\(path) is not valid. The default layout is used."
      )
    } catch {
      return (Splits(), ListOrders(), nil, error.explanation + " The default layout is used.")
    }
  }

  /// Saves the positions atomically. After a power loss, the old ones may return.
  ///
  /// - Throws: ``ClientError``.
  package func keep(_ splits: Splits) throws {
    var kept = (try? read()) ?? Kept()
    kept.splits = splits
    try write(kept)
  }

  /// Saves the orders of the lists, in the same way.
  ///
  /// - Throws: ``ClientError``.
  package func keep(_ orders: ListOrders) throws {
    var kept = (try? read()) ?? Kept()
    kept.orders = orders
    try write(kept)
  }

  /// Saves the terminal's background if it has changed. Leaves an unknown file alone.
  ///
  /// - Throws: ``ClientError``.
  package func keep(_ background: Color) throws {
    guard var kept = try read(), kept.background != background else { return }
    kept.background = background
    try write(kept)
  }

  private func write(_ kept: Kept) throws {
    var text = ""
    if let splits = kept.splits {
      text += "list-share = \(splits.listShare)\nlower-share = \(splits.lowerShare)\n"
      if let rows = splits.previewRows { text += "preview-rows = \(rows)\n" }
    }
    // Newest first is the default, which needs no line.
    for (key, list) in Self.orderKeys where kept.orders[keyPath: list] != .newest {
      text += "\(key) = \"\(kept.orders[keyPath: list].rawValue)\"\n"
    }
    if let background = kept.background {
      // An extra leading digit preserves the zeros.
      let digits = String(background.rgbValue | 1 << 24, radix: 16).dropFirst()
      text += "background = \"#\(digits)\"\n"
    }
    try Directories.make(folder)
    try PrivateFile.write(text, to: path, isSynced: false)
  }

  private static var orderKeys: [(key: String, list: WritableKeyPath<ListOrders, ListOrder>)] {
    [("tray-order", \.tray), ("handled-order", \.handled), ("history-order", \.history)]
  }

  /// Reads the file; nil if it was not written by Bellhop. Ignores keys of newer versions.
  private func read() throws -> Kept? {
    guard let text = try PrivateFile.read(path, isSecret: false) else { return Kept() }
    guard let settings = try? TOMLSource.settings(text) else { return nil }
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
    let hasSplits = ["list-share", "lower-share", "preview-rows"].contains { settings[$0] != nil }
    var kept = Kept(splits: hasSplits ? splits : nil)
    for (key, list) in Self.orderKeys {
      guard let value = settings[key] else { continue }
      guard let order = value.text.flatMap(ListOrder.init(rawValue:)) else { return nil }
      kept.orders[keyPath: list] = order
    }
    if let value = settings["background"] {
      guard let text = value.text, text.utf8.count == 7, text.hasPrefix("#"),
        text.dropFirst().allSatisfy(\.isHexDigit), let color = UInt32(text.dropFirst(), radix: 16)
      else { return nil }
      kept.background = .rgb(color)
    }
    return kept
  }
}
