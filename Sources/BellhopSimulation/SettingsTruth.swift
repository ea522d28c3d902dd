import BellhopModel
import BellhopStore

/// The settings of apps in the store, followed and checked commit by commit.
///
/// The settings must be those that users have made, by a second and simpler implementation of the
/// rules.
struct SettingsTruth {
  /// The settings by app, including apps that have published but were never configured.
  private var known: [String: AppSettings] = [:]
  /// The results of rejected operations.
  private var refusals: [OperationID: OperationResult] = [:]
  /// The crossings that operations of the last commit reported.
  private(set) var crossings: [OperationID: [PlainCrossing]] = [:]

  /// Adopts the current settings, after a restore or a rollback.
  mutating func adopt(_ settings: [AppSettings]) {
    known = Dictionary(settings.map { ($0.app, $0) }, uniquingKeysWith: { $1 })
  }

  /// Returns an app's retention in days; nil if it was never set.
  func retentionDays(of app: String) -> Int? { known[app]?.retentionDays }

  /// The offset from UTC of the user's zone, in seconds; that of the store's if none was set.
  var zone: Int {
    known[AppSettings.everyApp]?.timeZone.flatMap { PlainOccurrence.zones[$0] } ?? 0
  }

  /// Returns the app of a publication for `name`: the one with that alias, if there is one.
  func landing(of name: String) -> String {
    known.values.first { $0.aliases.contains(name) }?.app ?? name
  }

  /// Checks the settings after a commit.
  ///
  /// - Parameters:
  ///   - sequence: The user's sequence before the commit.
  ///   - device: The device that sent the operations.
  /// - Returns: The violations of the commit.
  mutating func note(
    _ commit: Truth.Commit, after sequence: SequenceNumber, because cause: CommitCause,
    by device: DeviceID?
  ) -> [String] {
    var violations: [String] = []
    crossings = [:]
    var expected = known
    switch cause {
    case .configuration(let name, let change):
      if Self.apply(change, to: name, in: &expected, commit, by: nil) == nil {
        violations.append("an alias was taken from another app")
      }
    case .category(let category, let app):
      let app = landing(of: app)
      expected[app] = of(app)
      Self.register(category, of: app, in: &expected, after: sequence)
    case .publication(let content, _):
      let app = landing(of: content.app)
      expected[app] = of(app)
      if expected[app]?.authorization == .denied {
        violations.append("\(app) published, although it is denied")
      }
      if let badge = content.extras.badge { expected[app]?.badge = badge }
    case .operations(let done, _):
      for (operation, result) in done {
        if let problem = check(operation, result, &expected, commit, by: device) {
          violations.append(problem)
        }
      }
    case .withdrawal, .cancellation, .removal, .sweep, .other: break
    }
    let before = known
    adopt(commit.settings)
    for app in Set(known.keys).union(expected.keys).sorted() {
      let old = before[app] ?? AppSettings(app: app)
      let new = known[app] ?? AppSettings(app: app)
      if !Self.isSame(new, expected[app] ?? AppSettings(app: app)) {
        violations.append("\(app) is not configured as its users set it")
      }
      if !Self.isSame(new, old), new.sequence <= sequence {
        violations.append("\(app) was configured, but keeps its sequence")
      }
    }
    return violations
  }

  private mutating func check(
    _ operation: Operation, _ result: OperationResult, _ expected: inout [String: AppSettings],
    _ commit: Truth.Commit, by device: DeviceID?
  ) -> String? {
    guard let app = operation.app, case .configure(var change) = operation.mutation,
      result != .alreadyApplied
    else { return nil }
    if let refusal = refusals[operation.id] {
      return result == refusal ? nil : "\(operation.id) was \(refusal), and now is \(result)"
    }
    if case .until(let end)? = change.mute, end <= commit.now { change.mute = .off }
    let found = Self.apply(change, to: app, in: &expected, commit, by: device)
    if found == nil { refusals[operation.id] = result }
    if let found, !found.isEmpty { crossings[operation.id] = found }
    let right: OperationResult = found != nil ? .applied : .unacceptable(.aliasTaken)
    return result == right ? nil : "\(operation.id) had the result \(result) instead of \(right)"
  }

  /// Applies a change to an app's settings.
  ///
  /// - Returns: The crossings that it reports; nil, without a change, if another app has one of the
  ///   aliases.
  private static func apply(
    _ change: AppSettingsChange, to name: String, in all: inout [String: AppSettings],
    _ commit: Truth.Commit, by device: DeviceID?
  ) -> [PlainCrossing]? {
    let owner = all.values.first { $0.aliases.contains(name) }?.app
    let app = all[name] == nil ? owner ?? name : name
    var new = all[app] ?? AppSettings(app: app)
    if let value = change.displayName { new.displayName = value.value }
    if let value = change.aliases { new.aliases = value }
    if let value = change.mute { new.mute = value }
    if let value = change.authorization { new.authorization = value }
    if let value = change.alert { new.permissions.alert = value }
    if let value = change.sound { new.permissions.sound = value }
    if let value = change.badge { new.permissions.badge = value }
    if let value = change.timeZone { new.timeZone = value.value }
    if let value = change.quietHours { new.quietHours = value.value }
    if let value = change.retentionDays { new.retentionDays = value.value }
    if let value = change.responses { new.responses = value }
    if let value = change.usesPlaces { new.usesPlaces = value }
    if let value = change.repeats { new.repeats = value }
    if let value = change.repeatsIgnoreNumbers { new.repeatsIgnoreNumbers = value }
    if let value = change.resolutions { new.resolutions = value }
    let others = all.values.filter { $0.app != app }.flatMap(\.aliases)
    if new.aliases.contains(where: others.contains) { return nil }
    let crossings = PlainCrossing.record(
      change.places ?? [:], by: device, in: &new, among: commit.devices, at: commit.now)
    all[app] = new
    return crossings
  }

  /// Registers a category; each action that it changes has the next sequence as its revision.
  private static func register(
    _ category: Category, of app: String, in all: inout [String: AppSettings],
    after sequence: SequenceNumber
  ) {
    var settings = all[app] ?? AppSettings(app: app)
    var new = category
    let old = settings.categories.first { $0.id == category.id }?.actions ?? []
    for index in new.actions.indices {
      new.actions[index].revision = sequence.next
      for known in old {
        var same = new.actions[index]
        same.revision = known.revision
        if same == known { new.actions[index] = known }
      }
    }
    settings.categories = settings.categories.filter { $0.id != category.id } + [new]
    settings.categories.sort { $0.id < $1.id }
    all[app] = settings
  }

  /// Returns whether an item has the action that was chosen, as it was shown.
  func hasAction(_ choice: ActionChoice, _ item: UserNotification) -> Bool {
    if item.content.extras.actions?.contains(where: { $0.id == choice.id }) == true {
      return choice.revision == nil
    }
    for category in known[item.content.app]?.categories ?? []
    where category.id == item.content.extras.category {
      for action in category.actions where action.id == choice.id {
        return choice.revision == nil || choice.revision == action.revision
      }
    }
    return false
  }

  /// Returns the settings of an app; of a new one, those that it begins with.
  func of(_ app: String) -> AppSettings {
    if let settings = known[app] { return settings }
    let first = known[AppSettings.everyApp]?.authorization ?? .authorized
    return AppSettings(app: app, authorization: first)
  }

  /// Returns whether an app has registered a category.
  func hasCategory(_ id: String, app: String) -> Bool {
    known[app]?.categories.contains { $0.id == id } == true
  }

  /// Returns whether the settings are equal, regardless of their sequence.
  private static func isSame(_ left: AppSettings, _ right: AppSettings) -> Bool {
    var left = left
    left.sequence = right.sequence
    return left == right
  }
}
