import BellhopModel
import BellhopStore

extension StoreUnderTest {
  /// Creates a rule for what an app publishes, after the other rules.
  @discardableResult
  func addRule(
    _ name: String, id: RuleID? = nil, app: String = "backups", timeZone: String? = nil,
    _ set: (inout RuleActions) -> Void
  ) async throws -> Rule {
    let definition = RuleTests.definition(name, app: app, timeZone: timeZone, set)
    return try await service.change(
      id ?? newID(), RuleChange(definition: definition), for: user)
  }

  /// Lets the repeats of an app collapse.
  func collapseRepeats(of app: String = "backups", ignoringNumbers: Bool = false) async throws {
    var change = AppSettingsChange()
    change.repeats = .collapse
    change.repeatsIgnoreNumbers = ignoringNumbers
    _ = try await service.configure(app, change, for: user)
  }

  /// The ids under which publishers find an item that has several.
  func aliases(of item: UserNotification) async throws -> [ItemAlias] {
    let user = user
    return try await backend.read { try $0.aliases(of: item.id, user: user) }
  }

  /// The item as the store has it.
  func stored(_ item: UserNotification) async throws -> UserNotification {
    try await service.item(item.id, of: user)
  }
}

extension Rule {
  /// The operation under which the rule sets registers of an item with its present content.
  func operation(on item: UserNotification) -> OperationID {
    OperationID(of: mark, on: item.id, content: item.state.contentSequence)
  }
}
