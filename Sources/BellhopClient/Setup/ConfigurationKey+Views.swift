internal import BellhopInbox
internal import BellhopSettings

extension ConfigurationKey {
  static let view = ConfigurationKey(
    name: "view",
    help: [
      "Filters under names, on the keys 5 to 9: of the list \"tray\" (unless you say other),",
      "\"history\" or \"later\". Those that the screen saves (V) are in views.toml beside this file.",
    ],
    example: """
      name = "failed builds"
      filter = "app:ci prio:>=high"
      list = "history"
      """,
    read: { (value, configuration) throws(Misfit) in
      configuration.views = try views(of: value)
    },
    written: { text(of: $0.views) }, isTable: true, isList: true)

  /// The views of a list of tables.
  static func views(of value: TOMLSetting, areOwn: Bool = false) throws(Misfit) -> [SavedView] {
    guard case .list(let tables) = value, tables.count <= SavedView.countMax else {
      throw Misfit(expected: "tables, each under [[view]], five at most")
    }
    var views: [SavedView] = []
    for (index, table) in tables.enumerated() {
      views.append(try view(of: table, at: "view[\(index + 1)]", isOwn: areOwn))
    }
    return views
  }

  private static func view(
    of value: TOMLSetting, at path: String, isOwn: Bool
  ) throws(Misfit) -> SavedView {
    guard let table = value.table else {
      throw Misfit(key: path, expected: "a table: [[view]]")
    }
    if let other = table.keys.sorted().first(where: { !["name", "filter", "list"].contains($0) }) {
      throw Misfit(key: "\(path).\(other)", expected: "one of name, filter and list")
    }
    func text(_ key: String, _ bytesMax: Int, _ expected: String) throws(Misfit) -> String {
      guard let text = table[key]?.text, text.contains(where: { !$0.isWhitespace }),
        text.utf8.count <= bytesMax, !text.unicodeScalars.contains(where: { $0.value < 0x20 })
      else {
        throw Misfit(key: table[key] == nil ? path : "\(path).\(key)", expected: expected)
      }
      return text
    }
    var view = SavedView(
      name: try text("name", SavedView.nameBytesMax, "a view with a name, in one short line"),
      filter: try text("filter", SavedView.filterBytesMax, "a view with a filter, in one line"),
      isOwn: isOwn)
    guard let list = table["list"] else { return view }
    guard let known = list.text.flatMap(SavedView.List.init(rawValue:)) else {
      throw Misfit(key: "\(path).list", expected: "\"tray\", \"history\" or \"later\"")
    }
    view.list = known
    return view
  }

  /// Views as the lines of tables, without the first one's header.
  static func text(of views: [SavedView]) -> String {
    views.map { view in
      "name = \(quoted(view.name))\nfilter = \(quoted(view.filter))\n"
        + "list = \(quoted(view.list.rawValue))"
    }.joined(separator: "\n\n[[view]]\n")
  }
}
