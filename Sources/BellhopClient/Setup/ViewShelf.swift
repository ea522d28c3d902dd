internal import BellhopInbox
internal import BellhopModel
internal import BellhopSettings
internal import BellhopText
internal import BellhopTime

/// The saved views: those of `config.toml`, which the program never writes, and those that the
/// screen saved, in `views.toml` beside it.
struct ViewShelf {
  private let path: String
  private let folder: String
  private let chosen: [SavedView]

  init(_ context: ClientContext) {
    folder = context.directories.config
    path = folder + "/views.toml"
    chosen = context.configuration.views
  }

  /// All views in the order of their keys, and a line about each thing that is wrong.
  func load() -> (views: [SavedView], problems: [String]) {
    var problems: [String] = []
    var views = chosen
    do {
      // A name in both files is the person's own.
      views += try saved().filter { view in !chosen.contains { $0.name == view.name } }
    } catch {
      problems.append("views.toml is left out: " + error.explanation)
    }
    if views.count > SavedView.countMax {
      let rest = views[SavedView.countMax...].map { "“\($0.name)”" }.joined(separator: ", ")
      problems.append("There are keys for five views: \(rest) has none.")
    }
    return (views, problems + views.compactMap(Self.problem))
  }

  /// Keeps views that the screen saved, beside those that another screen saved meanwhile.
  ///
  /// - Throws: ``ClientError``; the file is then as it was.
  func keep(_ views: [SavedView]) throws {
    let others = try saved().filter { other in !views.contains { $0.name == other.name } }
    try write(others + views)
  }

  /// Forgets a view that a screen saved, and leaves all others.
  ///
  /// - Throws: ``ClientError``; the file is then as it was.
  func remove(named name: String) throws {
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

  /// What is wrong with a view's filter, with a mark before the character.
  static func problem(of view: SavedView) -> String? {
    // What a time means depends on the day; whether it means anything does not.
    let phrase = FilterPhrase(now: Timestamp(milliseconds: 4_102_444_800_000), zone: .utc)
    guard case .failure(let problem) = phrase.filter(view.filter) else { return nil }
    return "The view “\(view.name)”: " + problem.pointing(in: view.filter)
  }

  private func saved() throws -> [SavedView] {
    guard let text = try PrivateFile.read(path, isSecret: false) else { return [] }
    do {
      guard let value = try TOMLSource.settings(text)["view"] else { return [] }
      return try ConfigurationKey.views(of: value, areOwn: true)
    } catch let error as TOMLSource.Failure {
      throw ClientError(
        .badData, error.line.map { "line \($0): \(error.problem)" } ?? error.problem)
    } catch let error as ConfigurationKey.Misfit {
      let key = error.key ?? "view"
      let line = SettingLines(text).line(of: key).map { "line \($0): " } ?? ""
      throw ClientError(.badData, line + "\(key.prefix(64)) is to be \(error.expected).")
    }
  }
}
