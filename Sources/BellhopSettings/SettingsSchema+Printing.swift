extension SettingsSchema {
  /// The values that the documented file shows.
  package enum Documentation: Hashable, Sendable {
    /// An example of each setting. All lines are comments, headers too.
    case examples
    /// The default of each setting, or an example where there is none. Headers are not comments.
    case defaults
  }

  /// No line of the help is longer.
  private static var columnsMax: Int { 90 }

  /// A file with every setting and its help that changes nothing.
  ///
  /// - Parameters:
  ///   - standard: The defaults.
  ///   - head: The first lines.
  package func documentation(
    _ values: Documentation, of standard: Root, head: String
  ) -> String {
    var text = head
    func add(_ setting: Setting<Root>, name: String) {
      let value = setting.written(standard)
      if !setting.help.isEmpty { text += "\n" + Self.wrapped(setting.help) }
      if values == .defaults, value == nil { text += "# No default; for example:\n" }
      let shown = values == .examples ? setting.example ?? value : value ?? setting.example
      let lines = setting.form == .tables ? shown ?? "" : "\(name) = \(shown ?? "")"
      text += lines.split(separator: "\n").map { "# \($0)\n" }.joined()
    }
    for setting in topLevel { add(setting, name: setting.path) }
    for table in tables {
      text += "\n" + Self.wrapped(table.help)
      text += (values == .examples ? "# " : "") + "[\(table.name)]\n"
      for (name, setting) in settings(in: table) { add(setting, name: name) }
    }
    return text
  }

  /// A file with the values in force.
  package func file(of root: Root) -> String {
    var text = ""
    for setting in topLevel {
      switch (setting.form, setting.written(root)) {
      case (.value, let value?): text += "\(setting.path) = \(value)\n"
      case (.value, nil): text += "# \(setting.path): not set\n"
      case (.tables, let tables?): text += "\n\(tables)\n"
      case (.tables, nil): break
      }
    }
    for table in tables {
      let lines = settings(in: table).compactMap { name, setting in
        setting.written(root).map { "\(name) = \($0)\n" }
      }
      if !lines.isEmpty { text += "\n[\(table.name)]\n" + lines.joined() }
    }
    return text
  }

  /// The settings that belong to no table, tables of the form ``Setting/Form/tables`` last.
  private var topLevel: [Setting<Root>] {
    let all = settings.filter { !$0.path.contains(".") }
    return all.filter { $0.form == .value } + all.filter { $0.form == .tables }
  }

  private func settings(in table: Table) -> [(name: String, setting: Setting<Root>)] {
    let prefix = table.name + "."
    return settings.filter { $0.path.hasPrefix(prefix) }
      .map { (String($0.path.dropFirst(prefix.count)), $0) }
  }

  /// The values in force, a line each.
  func lines(of root: Root) -> String {
    settings.compactMap { setting in setting.written(root).map { "\(setting.path) = \($0)" } }
      .joined(separator: "\n")
  }

  /// The examples, a line each.
  var example: String {
    settings.compactMap { setting in setting.example.map { "\(setting.path) = \($0)" } }
      .joined(separator: "\n")
  }

  /// A paragraph as lines of comments.
  private static func wrapped(_ text: String) -> String {
    var lines = ["#"]
    for word in text.split(separator: " ") {
      if lines[lines.count - 1].count + word.count + 1 > columnsMax { lines.append("#") }
      lines[lines.count - 1] += " " + word
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
