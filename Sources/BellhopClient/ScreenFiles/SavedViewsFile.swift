package import BellhopInbox
internal import BellhopModel
internal import BellhopSettings
internal import BellhopText
internal import BellhopTime

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
      findings.append(.init(text: "views.toml is ignored: " + error.explanation.clause + "."))
    }
    if views.count > SavedView.countMax {
      let rest = views[SavedView.countMax...].map { "“\($0.name)”" }.joined(separator: ", ")
      findings.append(.init(text: "Only five views can have keys. Without a key: \(rest)."))
    }
    for (index, view) in views.enumerated() {
      guard let problem = Self.problem(of: view) else { continue }
      let line = view.isOwn ? nil : file.line(of: "view[\(index + 1)].filter")
      findings.append(.init(line: line, text: problem))
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
    let tables = views.isEmpty ? "" : "\n[[view]]\n" + ConfigurationKey.text(of: views) + "\n"
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

  private func saved() throws -> [SavedView] {
    guard let text = try PrivateFile.read(path, isSecret: false) else { return [] }
    do {
      guard let value = try TOMLSource.settings(text)["view"] else { return [] }
      let (views, wrong) = try ConfigurationKey.views(of: value, areOwn: true)
      // The program's own file has no settings of a newer version that could be ignored.
      if !wrong.isEmpty { throw ConfigurationKey.Misfit(wrong) }
      return views
    } catch let error as TOMLSource.Failure {
      throw failure(line: error.line, error.problem.sentence)
    } catch let error as ConfigurationKey.Misfit {
      let part = error.parts[0]
      let lines = SettingLines(text)
      let table = part.key.map { String($0.prefix { $0 != "." }) } ?? "view"
      throw failure(
        line: part.key.flatMap(lines.line) ?? lines.line(of: table), part.words(for: "view"))
    }
  }

  private func failure(line: Int?, _ text: String) -> ClientError {
    ClientError(.badData, ConfigurationFinding(grade: .error, line: line, text: text).words)
  }
}
