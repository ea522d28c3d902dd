internal import BellhopInbox
internal import BellhopSettings

extension ConfigurationKey {
  static let view = ConfigurationKey(
    name: "view",
    help: [
      "Filters under names, on the keys 5 to 9: of the list \"tray\" (unless you say other),",
      "\"history\" or \"later\", in the order \"newest\", \"level\" or \"app\" (else as the list is).",
      "Those that the screen saves (V) are in views.toml beside this file.",
    ],
    example: """
      name = "failed builds"
      filter = "app:ci prio:>=high"
      list = "history"
      """,
    read: { (value, configuration) throws(Misfit) in
      let (views, wrong) = try views(of: value)
      configuration.views = views
      if !wrong.isEmpty { throw Misfit(wrong) }
    },
    written: { text(of: $0.views) }, isTable: true, isList: true)

  /// The views of a list of tables, and what is wrong with the others.
  static func views(
    of value: TOMLSetting, areOwn: Bool = false
  ) throws(Misfit) -> (views: [SavedView], wrong: [Misfit.Part]) {
    guard case .list(let tables) = value, tables.count <= SavedView.countMax else {
      throw Misfit(expected: "at most \(SavedView.countMax) tables, each under [[view]]")
    }
    var views: [SavedView] = []
    var wrong: [Misfit.Part] = []
    for (index, table) in tables.enumerated() {
      if let view = view(of: table, at: "view[\(index + 1)]", isOwn: areOwn, &wrong) {
        views.append(view)
      }
    }
    return (views, wrong)
  }

  private static func view(
    of value: TOMLSetting, at path: String, isOwn: Bool, _ wrong: inout [Misfit.Part]
  ) -> SavedView? {
    guard let table = value.table else {
      wrong.append(.init(key: path, expected: "a table: [[view]]"))
      return nil
    }
    let known = ["name", "filter", "list", "order"]
    for key in table.keys.sorted() where !known.contains(key) {
      wrong.append(.init(unknown: "\(path).\(key)", among: known))
    }
    func text(_ key: String, _ bytesMax: Int, _ expected: String) -> String? {
      guard let text = table[key]?.text, text.contains(where: { !$0.isWhitespace }),
        text.utf8.count <= bytesMax, !text.unicodeScalars.contains(where: { $0.value < 0x20 })
      else {
        wrong.append(.init(key: "\(path).\(key)", expected: expected))
        return nil
      }
      return text
    }
    let name = text("name", SavedView.nameBytesMax, "a text in one short line")
    let filter = text("filter", SavedView.filterBytesMax, "a filter in one line")
    var list = SavedView.List.tray
    if let value = table["list"] {
      if let known = value.text.flatMap(SavedView.List.init(rawValue:)) {
        list = known
      } else {
        let expected = "\"tray\", \"history\" or \"later\""
        wrong.append(.init(key: "\(path).list", expected: expected))
      }
    }
    let order = order(table["order"], of: list, at: "\(path).order", &wrong)
    guard let name, let filter else { return nil }
    return SavedView(name: name, filter: filter, list: list, order: order, isOwn: isOwn)
  }

  private static func order(
    _ value: TOMLSetting?, of list: SavedView.List, at key: String, _ wrong: inout [Misfit.Part]
  ) -> ListOrder? {
    guard let value else { return nil }
    guard let order = value.text.flatMap(ListOrder.init(rawValue:)) else {
      wrong.append(.init(key: key, expected: "\"newest\", \"level\" or \"app\""))
      return nil
    }
    if list == .later {
      wrong.append(.init(key: key, expected: "no order: the list \"later\" has the next first"))
      return nil
    }
    return order
  }

  /// Views as the lines of tables, without the first one's header.
  static func text(of views: [SavedView]) -> String {
    views.map { view in
      "name = \(quoted(view.name))\nfilter = \(quoted(view.filter))\n"
        + "list = \(quoted(view.list.rawValue))"
        + (view.order.map { "\norder = \(quoted($0.rawValue))" } ?? "")
    }.joined(separator: "\n\n[[view]]\n")
  }
}
