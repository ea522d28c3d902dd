package import BellhopInbox
internal import BellhopModel
package import BellhopSettings
internal import BellhopText

/// The saved views of the user.
///
/// `config.toml` contains those of the user, which the program never writes. `views.toml` beside it
/// contains those that the screen saved.
package struct SavedViewsFile {
  private let path: String
  private let folder: String
  private let chosen: [SavedView]
  private let file: ConfigurationFile

  /// - Parameter file: The `config.toml` to read views from; nil for the active one.
  package init(_ context: ClientContext, file: ConfigurationFile? = nil) {
    self.file = file ?? context.configurationFile
    folder = context.directories.config
    path = folder + "/views.toml"
    chosen = self.file.configuration.views
  }

  /// Returns all views in the order of their keys, and the problems of some.
  package func load() -> (views: [SavedView], findings: [ConfigurationFinding]) {
    var findings: [ConfigurationFinding] = []
    var views = chosen
    do {
      // If both files use a name, the user's own view counts.
      views += try saved().filter { view in !chosen.contains { $0.name == view.name } }
    } catch {
      findings.append(
        .init(sentence: "views.toml is ignored: " + error.explanation.clause + "."))
    }
    if views.count > SavedView.countMax {
      let rest = views[SavedView.countMax...].map { "“\($0.name)”" }.joined(separator: ", ")
      findings.append(.init(sentence: "Only five views can have keys. Without a key: \(rest)."))
    }
    for (index, view) in views.enumerated() {
      guard let problem = Self.problem(of: view) else { continue }
      let line = view.isOwn ? nil : file.lines.line(of: "view[\(index + 1)].filter")
      findings.append(.init(line: line, sentence: problem))
    }
    return (views, findings)
  }

  /// Saves views of the screen, and keeps those that another screen saved in the meantime.
  ///
  /// - Throws: ``ClientError``. The file is then unchanged.
  package func keep(_ views: [SavedView]) throws {
    let others = try saved().filter { other in !views.contains { $0.name == other.name } }
    try write(others + views)
  }

  /// Removes a view that a screen saved, and keeps all others.
  ///
  /// - Throws: ``ClientError``. The file is then unchanged.
  package func remove(named name: String) throws {
    let saved = try saved()
    let others = saved.filter { $0.name != name }
    if others.count != saved.count { try write(others) }
  }

  private func write(_ views: [SavedView]) throws {
    try Directories.make(folder)
    let tables = Self.setting.written(views).map { "\n\($0)\n" } ?? ""
    try PrivateFile.write(
      "# Views saved from the screen. Bellhop writes this file; yours belong in config.toml.\n"
        + tables, to: path)
  }

  /// Returns the problem of a view's filter, with a mark before the character.
  static func problem(of view: SavedView) -> String? {
    // The meaning of a time depends on the day; its validity does not.
    let phrase = FilterPhrase(now: Timestamp(milliseconds: 4_102_444_800_000), zone: .utc)
    guard case .failure(let problem) = phrase.filter(view.filter) else { return nil }
    return "The view “\(view.name)”: " + problem.pointing(in: view.filter)
  }

  /// The content of `views.toml`.
  private static let setting = Setting<[SavedView]>.views(\.self, areOwn: true)

  private func saved() throws -> [SavedView] {
    guard let text = try PrivateFile.read(path, isSecret: false) else { return [] }
    do {
      guard let value = try TOMLSource.settings(text)["view"] else { return [] }
      var views: [SavedView] = []
      try Self.setting.read(value, &views)
      return views
    } catch let error as TOMLSource.SyntaxError {
      throw failure(.init(line: error.line, sentence: error.problem + "."))
    } catch let error as SettingError {
      // The program's own file has no settings of a newer version that could be left out.
      throw failure(Configuration.schema.finding(of: error.parts[0], SettingLines(text)))
    }
  }

  private func failure(_ finding: ConfigurationFinding) -> ClientError {
    ClientError(.badData, finding.words)
  }
}
