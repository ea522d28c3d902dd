import BellhopModel
import BellhopStore
import Testing

@Suite("Size limits of pages")
struct PageBytesTests {
  /// Each way in which an item can be large, with about 4,000 bytes of it.
  private static let ways: [(name: String, fill: @Sendable (inout Content) -> Void)] = [
    ("title and subtitle", { $0.visual = VisualContent(title: text(500), subtitle: text(3500)) }),
    ("body", { $0.visual?.body = text(4000) }),
    ("raw", { $0.raw = text(4000) }),
    ("control characters", { $0.raw = String(repeating: "\u{1}", count: 660) }),
    ("links", { ($0.clickURL, $0.extras.icon) = ("https://a.example/" + text(2000), text(2000)) }),
    ("app id and group", { ($0.appNotificationID, $0.group) = (text(2000), text(2000)) }),
    ("tags", { $0.tags = (0..<16).map { "\($0)" + text(250) } }),
    (
      "fallback policy",
      {
        $0.extras.fallbackPolicy = .init(
          platformTypes: ["linux"], fallbackDelayInSeconds: 60,
          visualContent: VisualContent(title: "t", body: text(4000)))
      }
    ),
    (
      "action titles and ids",
      {
        $0.extras.actions = (0..<8).map { number in
          ContentExtras.Action(id: "\(number)" + text(250), title: text(250))
        }
      }
    ),
    (
      "names of an action's headers",
      {
        $0.extras.actions = (0..<4).map { number in
          var action = ContentExtras.Action(id: "\(number)", title: "t")
          (action.kind, action.url) = (.http, "https://example.com/")
          action.headers = Dictionary(
            uniqueKeysWithValues: (10..<26).map { ("X\($0)" + text(60), "v") })
          return action
        }
      }
    ),
    (
      "options and placeholders",
      {
        var action = ContentExtras.Action(id: "a", title: "t")
        action.options = (0..<8).map { "\($0)" + text(250) }
        action.placeholder = text(2000)
        $0.extras.actions = [action]
      }
    ),
    (
      "names and types of attachments",
      {
        $0.extras.attachments = (0..<8).map { number in
          .init(name: text(250), url: "https://example.com/\(number)", type: text(250))
        }
      }
    ),
  ]

  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  private func limits() -> StoreLimits {
    var limits = StoreLimits()
    limits.pageBytesMax = 10_000
    // Limits on items are not under test here.
    limits.titleBytesMax = 10_000
    limits.nameBytesMax = 10_000
    limits.tagBytesMax = 10_000
    limits.urlBytesMax = 10_000
    return limits
  }

  @Test(
    "whichever field is long, pages of lists and deltas are limited by their size",
    arguments: BackendKind.allCases, ways.indices)
  func longFields(kind: BackendKind, index: Int) async throws {
    let field = Self.ways[index]
    let store = try await StoreUnderTest(kind, limits: limits())
    let token = try await store.pull(from: .beginning).token
    for number in 0..<6 {
      try await store.publish("\(number)") { content in
        field.fill(&content)
        if let id = content.appNotificationID { content.appNotificationID = "\(number)" + id }
      }
    }
    let list = try await store.service.list(rows: 100, for: store.user)
    #expect(list.items.count == 3 && list.next != nil, "\(field.name)")
    for start in [DeltaStart.beginning, .since(token)] {
      let page = try await store.service.delta(from: start, rows: 100, for: store.user)
      #expect(page.changes.count == 3, "\(field.name)")
      #expect(try await store.pull(from: start).changes.count == 6)
    }
    let rows = try await store.service.rows(after: .zero, limit: 100, of: store.user)
    #expect(rows.rows.count == 3)
  }

  @Test(
    "text that the user typed counts, and so do the names of those who changed a register",
    arguments: BackendKind.allCases)
  func states(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: limits())
    for number in 0..<6 {
      let item = try await store.publish("\(number)") {
        var action = ContentExtras.Action(id: "r", title: "Reply")
        action.kind = .reply
        $0.extras.actions = [action]
      }.item
      var change = StateChange(userActionState: .activated)
      change.choice = ActionChoice(id: "r", text: Self.text(4000))
      _ = try await store.change(item, change)
    }
    let list = try await store.service.list(rows: 100, for: store.user)
    #expect(list.items.count == 3 && list.next != nil)
  }

  @Test("the effect of rules counts", arguments: BackendKind.allCases)
  func effects(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: limits())
    let token = try await store.pull(from: .beginning).token
    var effect = AppliedEffect()
    effect.group = Self.text(4000)
    for number in 0..<6 {
      let item = try await store.publish("\(number)").item
      _ = try await store.change(item, StateChange(applied: effect))
    }
    let list = try await store.service.list(rows: 100, for: store.user)
    #expect(list.items.count == 3 && list.next != nil)
    let page = try await store.service.delta(from: .since(token), rows: 100, for: store.user)
    #expect(page.changes.count == 3)
  }

  @Test(
    "a signal encloses only a limited number of bytes, even for one item",
    arguments: BackendKind.allCases)
  func enclosures(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    for (bytes, isEnclosed) in [(1000, true), (30_000, false)] {
      let before = try await store.service.position(of: store.user).sequence
      try await store.publish("item") { $0.raw = Self.text(bytes) }
      let enclosed = try await store.service.enclosure(after: before, for: store.user)
      #expect((enclosed != nil) == isEnclosed, "\(bytes)")
    }
  }

  @Test("a signal does not enclose long effects of rules", arguments: BackendKind.allCases)
  func enclosedEffects(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: limits())
    let item = try await store.publish("item").item
    let before = try await store.service.position(of: store.user).sequence
    for (group, isEnclosed) in [
      ("short", true), ("a" + Self.text(9000), true), ("b" + Self.text(9000), false),
    ] {
      var effect = AppliedEffect()
      effect.group = group
      _ = try await store.change(item, StateChange(applied: effect))
      let enclosed = try await store.service.enclosure(after: before, for: store.user)
      // The effect before counts too.
      #expect((enclosed != nil) == isEnclosed, "\(group.prefix(5))")
    }
  }
}
