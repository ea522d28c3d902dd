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
