package import BellhopModel

/// Random conditions and random items to match, the same for the same seed.
package final class ConditionGenerator {
  private var random: SeededRandom
  private let fields: [ItemField]
  private static let start = Timestamp(seconds: 1_772_366_400)
  private static let texts = [
    "", "a", "ab", "a b", "it's", "''", "Ä", "a\u{308}", "ä", "日本語", "\u{1F600}", "%_", "ci.x", "z",
  ]

  /// - Parameter fields: The fields that conditions compare.
  package init(seed: UInt64, fields: [ItemField] = ItemField.allCases) {
    random = SeededRandom(seed: seed)
    self.fields = fields
  }

  package func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  package func pick<Values: Collection>(_ values: Values) -> Values.Element {
    values[values.index(values.startIndex, offsetBy: below(values.count))]
  }

  private func text() -> String { pick(Self.texts) }

  private func time() -> Timestamp { Self.start.advanced(by: .seconds(Int64(below(40)))) }

  // MARK: - Conditions

  package func condition(depth: Int) -> Condition<ItemTest> {
    switch depth > 0 ? below(8) : 3 {
    case 0: return .not(condition(depth: depth - 1))
    case 1: return .all((0...1 + below(2)).map { _ in condition(depth: depth - 1) })
    case 2: return .any((0...1 + below(2)).map { _ in condition(depth: depth - 1) })
    default: return .test(test())
    }
  }

  private func test() -> ItemTest {
    switch below(5) {
    case 0:
      let field = pick(fields)
      return .isOneOf(field, (0...below(3)).map { _ in below(6) == 0 ? .null : value(field) })
    case 1:
      let texts = fields.filter { $0.kind == .text }
      return .text(pick(FilterFunction.allCases), pick(texts), text())
    case 2: return below(3) == 0 ? .hasAnyTag : .hasTag(text())
    default:
      let field = pick(fields)
      let comparison = pick(FilterComparison.allCases.filter { isOrdered(field) || !$0.isOrdering })
      let isNull = !comparison.isOrdering && below(5) == 0
      return .compare(field, comparison, isNull ? .null : value(field))
    }
  }

  private func isOrdered(_ field: ItemField) -> Bool {
    switch field.kind {
    case .word, .flag: false
    default: true
    }
  }

  private func value(_ field: ItemField) -> FilterValue {
    switch field.kind {
    case .word(let words): .text(pick(words))
    case .priority: .priority(pick(Priority.allCases))
    case .flag: .flag(below(2) == 0)
    case .text: .text(text())
    case .time: .time(time())
    case .number: .number(Int64(below(60)) - 3)
    }
  }

  // MARK: - Items

  private func app() -> String { pick(["a", "ab", "ci.x", "z"]) }

  package func content() -> Content {
    func maybe(_ text: String) -> String? { below(3) == 0 || text.isEmpty ? nil : text }
    var content = Content(
      app: app(), appNotificationID: below(2) == 0 ? nil : "\(below(30))",
      group: maybe(text()), priority: pick(Priority.allCases))
    content.tags = (0..<below(3)).map { _ in text() }.filter { !$0.isEmpty }
    if below(4) > 0 {
      let title = text()
      content.visual = VisualContent(
        title: title.allSatisfy(\.isWhitespace) ? "t" : title, subtitle: maybe(text()),
        body: maybe(text()))
    } else {
      content.raw = "raw"
    }
    if below(4) == 0 {
      content.expiration = Self.start.advanced(by: .seconds(3600 + Int64(below(20))))
    }
    if below(6) == 0 {
      content.deliverAt = Self.start.advanced(by: .seconds(600 + Int64(below(20))))
    }
    return content
  }

  package func change() -> StateChange {
    var change = StateChange()
    if below(2) == 0 { change.readState = pick(ReadState.allCases) }
    if below(2) == 0 {
      let until = Self.start.advanced(by: .seconds(1800 + Int64(below(20))))
      change.userActionState = UserActionState(
        kind: pick(UserActionState.Kind.allCases), snoozedUntil: until)
    }
    if below(3) == 0 { change.pinned = below(2) == 0 }
    if below(3) == 0 { change.applied = effect() }
    return change
  }

  private func effect() -> AppliedEffect {
    var effect = AppliedEffect()
    if below(2) == 0 { effect.level = pick(Priority.allCases) }
    let group = text()
    if !group.isEmpty { effect.group = group }
    if below(2) == 0 { effect.app = app() }
    effect.tags = (0..<below(3)).map { _ in text() }.filter { !$0.isEmpty }
    return effect
  }
}
