import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopTestSupport
import Testing

@Suite("The effect of rules in the store")
struct EffectRegisterTests {
  @Test(
    "an effect that a device sets has the bounds of one that rules have",
    arguments: BackendKind.allCases)
  func bounds(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    func refusedField(_ adjust: (inout AppliedEffect) -> Void) async throws -> String? {
      var effect = RegisterSamples.effect
      adjust(&effect)
      let change = StateChange(applied: effect)
      let error = try await storeError { _ = try await store.change(item, change) }
      guard case .invalid(let field, _)? = error else { return nil }
      return field
    }
    let long = String(repeating: "x", count: 10_000)
    let mark = try #require(RegisterSamples.effect.exhausted.first)
    let rule = AppliedEffect.Contribution(rule: mark, parts: [.tags])
    #expect(try await refusedField { $0.app = "not an app" } == "applied.targetHostName")
    #expect(try await refusedField { $0.group = long } == "applied.groupName")
    #expect(try await refusedField { $0.group = "a\u{0}" } == "applied.groupName")
    #expect(try await refusedField { $0.tags = [long] } == "applied.tags")
    #expect(try await refusedField { $0.tags = (0..<17).map { "\($0)" } } == "applied.tags")
    #expect(
      try await refusedField { $0.rules = Array(repeating: rule, count: 21) } == "applied.rules")
    #expect(
      try await refusedField { $0.exhausted = Array(repeating: mark, count: 9) }
        == "applied.rules")
    #expect(try await refusedField { $0.rules[0].rule.name = long } == "applied.rules")
    #expect(try await refusedField { _ in } == nil)
    #expect(try await store.service.item(item.id, of: store.user).isSilenced)
  }

  @Test(
    "an operation with an effect out of bounds is refused, and none of its batch is applied",
    arguments: BackendKind.allCases)
  func batch(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    var effect = AppliedEffect()
    effect.tags = Array(repeating: "x", count: 17)
    var operation = store.operation(.read, item)
    operation.mutation = .set(StateChange(applied: effect))
    let operations = [store.operation(.read, item), operation]
    let error = try await storeError { _ = try await store.send(operations) }
    #expect(error == .invalid(field: "applied.tags", expectation: "at most 16 tags"))
    #expect(try await store.service.item(item.id, of: store.user) == item)
  }

  @Test("the effective app has a column, and a tombstone keeps no word of a rule")
  func columns() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let backend = try #require(store.backend as? SQLiteBackend)
    func count(_ condition: String) async throws -> String? {
      try await backend.inspect("SELECT count(*) FROM item WHERE \(condition)").first?.first
    }
    let item = try await store.publish("a").item
    #expect(try await count("applied IS NULL AND moved_app IS NULL") == "1")
    _ = try await store.change(item, StateChange(applied: RegisterSamples.effect))
    #expect(try await count("moved_app = 'noise.example.com' AND applied LIKE '{%}'") == "1")
    _ = try await store.change(item, StateChange(applied: .empty))
    #expect(try await count("moved_app IS NULL AND applied = '{}'") == "1")
    #expect(try await count("applied_previous LIKE '{%passed%}'") == "1")
    _ = try await store.service.delete(item.id, for: store.user)
    let words = ["applied", "applied_previous", "applied_at", "applied_by", "moved_app"]
    let condition = words.map { "\($0) IS NULL" }.joined(separator: " AND ")
    #expect(try await count("deleted IS NOT NULL AND " + condition) == "1")
  }
}
