internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopSettings
internal import BellhopText

/// A filter on the command line: the arguments of `list` and `count`, `--filter`, and `--when`.
enum FilterOption {
  /// The longest filter that an error repeats with a mark under the problem.
  private static let shownMax = 200

  /// Parses a filter, using the names that the user gave the apps.
  ///
  /// - Parameter consequence: The sentence that says what was not done; nil for commands that only
  ///   read.
  /// - Throws: `ClientError` that marks the part that was not understood.
  static func filter(
    _ text: String, for accesses: [CacheAccess], consequence: String? = nil
  ) throws -> ListFilter {
    var names: [String: String] = [:]
    for access in accesses { names.merge(try access.reader().displayNames()) { mine, _ in mine } }
    // Without an account, there is no store's clock to use.
    let now = try accesses.first?.storeTime() ?? SystemClock.now()
    let phrase = FilterPhrase(now: now, zone: SystemClock.zoneRules, appNames: names)
    switch phrase.filter(text) {
    case .success(let filter): return filter
    case .failure(let problem): throw error(problem, in: text, consequence: consequence)
    }
  }

  /// Parses the condition of a rule, using the names that the user gave the apps.
  ///
  /// - Parameter consequence: The sentence that says what was not done; nil for commands that only
  ///   read.
  /// - Throws: `ClientError` that marks the part that was not understood.
  static func condition(
    _ text: String, appNames: [String: String], consequence: String? = nil
  ) throws(ClientError) -> RuleCondition {
    switch RulePhrase(appNames: appNames).condition(text) {
    case .success(let condition): return condition
    case .failure(let problem): throw error(problem, in: text, consequence: consequence)
    }
  }

  /// Returns the error for a filter or a condition that is not valid.
  private static func error(
    _ problem: FilterPhrase.SyntaxError, in text: String, consequence: String?
  ) -> ClientError {
    let meant = Spelling.nearest(problem.word, in: problem.known)
    var what = problem.description + (meant.map { " Did you mean \($0)?" } ?? "")
    if text.count <= shownMax, !text.contains(where: \.isNewline) {
      let before = SafeText(String(text.prefix(problem.range.lowerBound))).width
      let wrong = SafeText(
        String(text.dropFirst(problem.range.lowerBound).prefix(problem.range.count))
      ).width
      what +=
        "\n  \(text)\n  " + String(repeating: " ", count: before)
        + String(repeating: "^", count: max(1, wrong)) + (consequence == nil ? "" : "\n")
    }
    return ClientError(.usage, what, next: consequence)
  }
}

extension ListSelection {
  /// Returns the selected list, narrowed to the items that match the filter.
  func query(_ filter: ListFilter) -> ListQuery {
    var filter = filter
    let whole: ListQuery
    switch self {
    case .tray: whole = .tray
    case .handled: whole = .handled
    case .all: whole = .history
    case .snoozed, .scheduled:
      whole = .later
      filter.terms.append(ListFilter.Term(.state([self == .snoozed ? .snoozed : .scheduled])))
    }
    return filter.isEmpty ? whole : .narrowed(whole, filter)
  }

  /// The location of its items, as a phrase after their number.
  var place: SafeText {
    switch self {
    case .tray: " in the tray"
    case .handled: " among the handled items"
    case .snoozed: " that are snoozed"
    case .scheduled: " that are scheduled"
    case .all: " in the tray or the history"
    }
  }
}
