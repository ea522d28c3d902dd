import BellhopModel
import BellhopTestSupport
import FoundationEssentials
import Testing

@testable import BellhopWire

@Suite("The delta codec")
struct DeltaCodecTests {
  private static func payload(_ changes: [Change], isLast: Bool = true) -> DeltaPayload {
    DeltaPayload(
      changes: changes,
      end: isLast ? .complete(DeltaToken("a_b-c")) : .next(page: "p&q=1/ü"),
      started: isLast ? nil : DeltaToken("s"), sequence: SequenceNumber(17), epoch: Epoch("e\"1"))
  }

  /// Items with every combination of optional members, and texts that need escapes.
  private static func changes(seed: UInt64) -> [Change] {
    var random = SeededRandom(seed: seed)
    let texts = [
      "", "plain", "quote \" and \\ and / and \u{1}\n\t\u{7f}", "日本語 ü 👩‍👩‍👧‍👦", "\u{2028}", "null",
      String(repeating: "long ", count: 60),
    ]
    func text() -> String { texts.randomElement(using: &random) ?? "" }
    func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? {
      Bool.random(using: &random) ? value() : nil
    }
    func time() -> Timestamp {
      Timestamp(milliseconds: .random(in: 0...9_000_000_000_000, using: &random))
    }
    func change() -> RegisterChange {
      RegisterChange(
        at: time(),
        by: Author(kind: maybe(.device) ?? maybe(.rule) ?? .publisher, id: text(), name: text()),
        operation: maybe(OperationID(high: random.next(), low: random.next())))
    }
    func choice() -> ActionChoice {
      ActionChoice(id: text(), title: maybe(text()), text: maybe(text()))
    }
    func state() -> ItemState {
      var state = ItemState(
        sequence: SequenceNumber(.random(in: 0...1 << 53, using: &random)),
        contentSequence: SequenceNumber(3),
        changed: time(), resolved: maybe(time()))
      state.meaning = maybe(SequenceNumber(2))
      if let change = maybe(change()) {
        state.readState = state.readState.setting(.read, change: change)
      }
      if let change = maybe(change()) {
        let action = maybe(UserActionState.snoozed(until: time())) ?? .dismissed
        state.userActionState = state.userActionState.setting(action, change: change)
        if var change = maybe(change) {
          change.choice = maybe(choice())
          state.userActionState = state.userActionState.setting(.activated, change: change)
        }
      }
      if let change = maybe(change()) { state.pinned = state.pinned.setting(true, change: change) }
      if let change = maybe(change()) {
        state.applied = state.applied.setting(
          maybe(RegisterSamples.effect) ?? .empty, change: change)
      }
      return state
    }
    return (0..<20).map { _ in
      let id = NotificationID(high: random.next(), low: random.next())
      switch Int.random(in: 0..<5, using: &random) {
      case 4:
        var settings = AppSettings(
          app: text(), sequence: SequenceNumber(9), displayName: maybe(text()),
          aliases: maybe([text(), text()]) ?? [])
        settings.mute = maybe(.until(time())) ?? maybe(.forever) ?? .off
        settings.permissions = AppPermissions(
          alert: .random(using: &random), sound: .random(using: &random),
          badge: .random(using: &random))
        if let from = LocalTime(minutes: .random(in: 0..<1440, using: &random)),
          let to = LocalTime(minutes: .random(in: 0..<1440, using: &random))
        {
          settings.quietHours = maybe(
            QuietHours(
              from: from, to: to, days: Set(Weekday.allCases.filter { _ in maybe(1) != nil }),
              timeZone: maybe(text())))
        }
        settings.retentionDays = maybe(.random(in: 1...3650, using: &random))
        return .app(settings)
      case 0: return .removed(id, sequence: SequenceNumber(9))
      case 1: return .state(id, state())
      default:
        var content = Content(
          app: text(), priority: Priority.allCases.randomElement(using: &random) ?? .normal)
        content.appNotificationID = maybe(text())
        content.group = maybe(text())
        content.tags = maybe([text(), text()]) ?? []
        content.visual = maybe(
          VisualContent(title: text(), subtitle: maybe(text()), body: maybe(text())))
        content.raw = content.visual == nil ? text() : maybe(text())
        content.clickURL = maybe(text())
        content.expiration = maybe(time())
        content.displayTimeToLive = maybe(.seconds(90))
        content.deliverAt = maybe(time())
        if Int.random(in: 0..<8, using: &random) == 0 { content.extras.category = text() }
        return .item(
          UserNotification(
            id: id, shortNumber: .random(in: 1...99_999, using: &random), created: time(),
            arrival: time(), content: content, state: state(),
            repeats: maybe(Repeats(firstAt: time()).newRound(at: time()).repeated(at: time()))))
      }
    }
  }

  @Test("encoded deltas are decoded unchanged, also as a part of another value", arguments: 1...60)
  func agreement(seed: Int) throws {
    let changes = Self.changes(seed: UInt64(seed))
    let apps = changes.compactMap { if case .app(let settings) = $0 { settings } else { nil } }
    let isLast = seed % 2 == 0
    // In the order in which a store sends both kinds of rows.
    let payload = Self.payload(
      DeltaPayload.changes(
        changes.filter { $0.id != nil }, apps, rules: [], isFirstSync: !isLast),
      isLast: isLast)
    let bytes = try payload.quickBytes()
    #expect(try JSONDecoder().decode(DeltaPayload.self, from: Data(bytes)) == payload)
    #expect(try WireJSON.decode(DeltaPayload.self, from: bytes) == payload)
    #expect(try DeltaPayload(quickly: bytes) == payload)
  }

  @Test("the extent of a restarted store's history is encoded and decoded")
  func validThrough() throws {
    var payload = Self.payload([])
    payload.validThrough = SequenceNumber(12)
    let standard = [UInt8](try JSONEncoder().encode(payload))
    for bytes in [try payload.quickBytes(), standard] {
      #expect(try DeltaPayload(quickly: bytes) == payload)
      #expect(try JSONDecoder().decode(DeltaPayload.self, from: Data(bytes)) == payload)
    }
  }

  @Test("the standard encoder's output is decoded")
  func standardEncoding() throws {
    let item = PayloadTests.bareItem()
    let payload = Self.payload(
      [.item(item), .removed(item.id, sequence: SequenceNumber(3))])
    let bytes = [UInt8](try JSONEncoder().encode(payload))
    #expect(try DeltaPayload(quickly: bytes) == payload)
  }

  @Test(
    "app settings are sent beside the items, in change order",
    arguments: [false, true])
  func settings(isFirstSync: Bool) throws {
    func settings(_ sequence: Int64) throws -> Change {
      .app(try AppPayloadTests.settings("app\(sequence).example.com", sequence))
    }
    func removed(_ sequence: Int64) -> Change {
      .removed(NotificationID(high: 1, low: 1), sequence: SequenceNumber(sequence))
    }
    let item = Change.item(PayloadTests.bareItem())
    let changes =
      try isFirstSync
      ? [settings(3), settings(9), item, removed(8), removed(2)]
      : [settings(3), removed(4), settings(5), settings(6), removed(7)]
    let payload = Self.payload(changes, isLast: !isFirstSync)
    let quick = try payload.quickBytes()
    let standard = [UInt8](try JSONEncoder().encode(payload))
    for bytes in [quick, standard] {
      #expect(try DeltaPayload(quickly: bytes) == payload)
      #expect(try WireJSON.decode(DeltaPayload.self, from: bytes) == payload)
      #expect(try JSONDecoder().decode(DeltaPayload.self, from: Data(bytes)) == payload)
      // A client from before app settings reads the same bytes, and finds only items.
      let before = try JSONDecoder().decode(PageBeforeSettings.self, from: Data(bytes))
      #expect(before.value.count == (isFirstSync ? 3 : 2))
      #expect(before.value.allSatisfy { $0.id.count == 36 })
    }
    #expect(!String(decoding: try Self.payload([]).quickBytes(), as: UTF8.self).contains("apps"))
  }

  @Test("rules are sent beside the items, in change order", arguments: [false, true])
  func rules(isFirstSync: Bool) throws {
    func rule(_ sequence: Int64) -> Change {
      var actions = RuleActions()
      actions.isSilent = true
      let definition = RuleDefinition(
        name: "rule \(sequence)",
        condition: RuleCondition([.init(.app([ListFilter.NamePattern("ci")]))]), actions: actions)
      return .rule(
        Rule(
          id: RuleID(high: 1, low: UInt64(sequence)), definition: definition, order: .first,
          revision: OperationID(high: 2, low: 2), sequence: SequenceNumber(sequence)))
    }
    let gone = Change.ruleRemoved(RuleID(high: 3, low: 3), sequence: SequenceNumber(6))
    let removed = Change.removed(NotificationID(high: 1, low: 1), sequence: SequenceNumber(5))
    let settings = Change.app(try AppPayloadTests.settings("app.example.com", 4))
    let changes =
      isFirstSync
      ? [settings, rule(3), rule(9), .item(PayloadTests.bareItem())]
      : [rule(3), settings, removed, gone, rule(7)]
    let payload = Self.payload(changes, isLast: !isFirstSync)
    for bytes in [try payload.quickBytes(), [UInt8](try JSONEncoder().encode(payload))] {
      #expect(try DeltaPayload(quickly: bytes) == payload)
      #expect(try WireJSON.decode(DeltaPayload.self, from: bytes) == payload)
      #expect(try JSONDecoder().decode(DeltaPayload.self, from: Data(bytes)) == payload)
      // A client from before rules finds only items.
      let before = try JSONDecoder().decode(PageBeforeSettings.self, from: Data(bytes))
      #expect(before.value.count == 1)
    }
    #expect(!String(decoding: try Self.payload([]).quickBytes(), as: UTF8.self).contains("rules"))
  }

  @Test("a rule that this version cannot read is passed over, and the other rows are not")
  func laterRule() throws {
    let id = RuleID(high: 3, low: 3)
    let text = """
      {"@odata.deltaLink":"/x?$deltatoken=a","@bellhop.epoch":"e","@bellhop.sequence":9,"value":[],
      "@bellhop.rules":[7,{"id":"\(id)","name":"later","order":"n","revision":"\(id)","sequence":5,
      "terms":[{"field":"weather","values":["rain"]}],"actions":{"silent":true}},
      {"id":"\(id)","sequence":6,"@removed":{"reason":"deleted"}}]}
      """
    let payload = try WireJSON.decode(DeltaPayload.self, from: Array(text.utf8))
    #expect(payload.changes == [.ruleRemoved(id, sequence: SequenceNumber(6))])
  }

  /// The part of a page that the first clients read.
  private struct PageBeforeSettings: Decodable {
    struct Row: Decodable {
      var id: String
      var sequence: Int64
    }

    var value: [Row]
  }

  @Test("an item with every member is encoded and decoded unchanged")
  func fullItem() throws {
    let payload = Self.payload([.item(PayloadTests.fullItem()), .item(PayloadTests.bareItem())])
    for bytes in [try payload.quickBytes(), [UInt8](try JSONEncoder().encode(payload))] {
      #expect(try DeltaPayload(quickly: bytes) == payload)
      #expect(try JSONDecoder().decode(DeltaPayload.self, from: Data(bytes)) == payload)
    }
  }

  @Test("the members left to `Codable` are those that it knows")
  func extras() throws {
    let content = PayloadTests.fullItem().content
    let bytes = try JSONEncoder().encode(RareMembers(content))
    let object = try JSONDecoder().decode(MemberNames.self, from: bytes)
    #expect(object.names.sorted() == RareMembers.names.map(\.description).sorted())
    let fields = Mirror(reflecting: content.extras).children.count
    #expect(fields + 1 == RareMembers.names.count, "the trigger and the extras")
  }

  @Test("a device publishes content in the form in which the store sends it")
  func publication() throws {
    let item = PayloadTests.fullItem()
    func members(_ bytes: Data) throws -> [String: InfoValue] {
      try JSONDecoder().decode([String: InfoValue].self, from: bytes)
    }
    let sent = try members(Data(WireJSON.encode(NotificationPayload(item))))
    let encoded = try JSONEncoder().encode(item.content)
    let published = try members(encoded)
    #expect(published.count == 25)
    for (name, value) in published { #expect(sent[name] == value, "\(name)") }
    #expect(try JSONDecoder().decode(Content.self, from: encoded) == item.content)
    let bare = PayloadTests.bareItem().content
    #expect(try JSONDecoder().decode(Content.self, from: JSONEncoder().encode(bare)) == bare)
  }

  /// Clients ignore members that they do not know. Without a new number, they would miss them in
  /// everything that they have read before.
  @Test("a new member of items or settings raises the number of the form")
  func form() throws {
    let members = ItemRegister.all.flatMap {
      [$0.name, $0.changeName, $0.untilName].compactMap(\.self)
    }
    // Both sides grow by one with each new register.
    #expect(WireForm.number == ItemRegister.all.count, "raise the number")
    #expect(ItemKey.allCases.count == 42 + members.count, "raise the number, and count again")
    let settings = AppSettings(
      app: "ci", displayName: "CI", mute: .until(Timestamp(seconds: 1)), authorization: .denied,
      whenFocused: .line,
      quietHours: QuietHours(
        from: try #require(LocalTime("22:00")), to: try #require(LocalTime("07:00"))),
      timeZone: "UTC", places: ["office": Place()], usesPlaces: true, retentionDays: 1,
      responses: .all, repeats: .collapse, repeatsIgnoreNumbers: true, resolutions: .publish,
      categories: [Category(id: "a")], badge: 1)
    let sent = try JSONDecoder().decode(
      [String: InfoValue].self, from: JSONEncoder().encode(settings))
    #expect(sent.count == 20, "raise the number, and count again")
  }

  private struct MemberNames: Decodable {
    var names: [String]

    init(from decoder: any Decoder) throws {
      names = try decoder.container(keyedBy: ItemKey.self).allKeys.map(\.stringValue)
    }
  }

  @Test("unknown members of later versions are ignored, in a page and in its rows")
  func laterMembers() throws {
    let item = PayloadTests.fullItem()
    let later = #","later":{"a":[1,-2.5e3,null,true,"\u00e9}"],"b":{}},"#
    let text = String(decoding: try Self.payload([.item(item)]).quickBytes(), as: UTF8.self)
      .replacing(#","shortNumber":"#, with: later + #""shortNumber":"#)
      .replacing(#","value":"#, with: later + #""value":"#)
    #expect(text.contains("later"))
    #expect(try DeltaPayload(quickly: Array(text.utf8)) == Self.payload([.item(item)]))
  }

  @Test("an invalid rare member is an error that names it")
  func wrongExtras() throws {
    let text = String(
      decoding: try Self.payload([.item(PayloadTests.fullItem())]).quickBytes(), as: UTF8.self
    ).replacing(#""markdown":true"#, with: #""markdown":"yes""#)
    #expect(text.contains(#""yes""#))
    let error = #expect(throws: WireError.self) {
      try WireJSON.decode(DeltaPayload.self, from: Array(text.utf8))
    }
    #expect(error == .invalid(field: "value[0].markdown", expectation: "true or false"))
  }

  @Test("every prefix of a delta is an error, never a shorter delta")
  func cuts() throws {
    let bytes = try Self.payload(Self.changes(seed: 5).prefix(3).map { $0 }).quickBytes()
    for length in 0..<bytes.count {
      #expect(throws: WireError.self) {
        try WireJSON.decode(DeltaPayload.self, from: bytes[..<length])
      }
    }
  }

  @Test(
    "an invalid member is named with its path",
    arguments: [
      (#""value":[],"@bellhop.sequence":1.5"#, "sequence is wrong: expected a whole number."),
      (#""value":[],"@bellhop.sequence":01"#, "not valid JSON"),
      (#""value":[],"@bellhop.sequence":1,"new":{,}"#, "not valid JSON"),
      (#""value":[],"@bellhop.sequence":1,"new":["\ud83d"]"#, "not valid JSON"),
      (#""value":[]"#, "@bellhop.sequence is wrong: expected a value; it is missing."),
      (#""value":null,"@bellhop.sequence":1"#, "value is wrong: expected a value; it is missing."),
      (#""value":7,"@bellhop.sequence":1"#, "value is wrong: expected an array."),
      (#""value":[7],"@bellhop.sequence":1"#, "value[0] is wrong: expected a JSON object."),
      (#""value":[{}],"@bellhop.sequence":1"#, "value[0].id is wrong: expected a value"),
      (
        #""value":[{"id":"x"}],"@bellhop.sequence":1"#,
        "value[0].id is wrong: expected a UUID such as"
      ),
      (
        #""value":[],"@bellhop.apps":[{"targetHostName":"a"}],"@bellhop.sequence":1"#,
        "@bellhop.apps[0].sequence is wrong: expected a value"
      ),
      (
        #""value":[],"@bellhop.sequence":1,"@bellhop.apps":[{"targetHostName":"a","sequence":1,"mute":"until"}]"#,
        "@bellhop.apps[0].mutedUntilDateTime is wrong: expected a time with mute until"
      ),
      (
        #""value":[],"@bellhop.sequence":1,"@bellhop.apps":[{"targetHostName":"a","sequence":1,"quietHours":{"from":"25:00","to":"06:00"}}]"#,
        "@bellhop.apps[0].quietHours.from is wrong: expected a time of day"
      ),
      (#""value":[],"@bellhop.sequence":1,"@odata.deltaLink":"/x""#, "a link with $deltatoken"),
    ])
  func wrong(members: String, complaint: String) throws {
    let text = #"{"@odata.deltaLink":"/x?$deltatoken=a","@bellhop.epoch":"e","# + members + "}"
    let error = #expect(throws: WireError.self) {
      try WireJSON.decode(DeltaPayload.self, from: Array(text.utf8))
    }
    #expect(error?.description.contains(complaint) == true, "\(error as Any)")
  }

  @Test("no end, no object and more than one value are errors")
  func notAPage() {
    for (text, complaint) in [
      ("[]", "a JSON object"), ("", "not valid JSON"),
      (#"{"value":[],"@bellhop.sequence":1,"@bellhop.epoch":"e"}"#, "@odata.nextLink or"),
      (
        #"{"value":[],"@bellhop.sequence":1,"@bellhop.epoch":"e","@odata.deltaLink":"/x?$deltatoken=a"} x"#,
        "not valid JSON"
      ),
    ] {
      let error = #expect(throws: WireError.self) {
        try WireJSON.decode(DeltaPayload.self, from: Array(text.utf8))
      }
      #expect(error?.description.contains(complaint) == true, "\(text): \(error as Any)")
    }
  }

  @Test("null means a missing member, and times and numbers may have other forms")
  func otherForms() throws {
    let item = PayloadTests.bareItem()
    let written = String(decoding: try Self.payload([.item(item)]).quickBytes(), as: UTF8.self)
    let text = written.replacing(".000Z\"", with: "Z\"")
      .replacing(#","shortNumber":"#, with: #","groupName":null,"tags":null,"shortNumber":"#)
    #expect(text != written)
    #expect(
      try WireJSON.decode(DeltaPayload.self, from: Array(text.utf8))
        == Self.payload([.item(item)]))
  }
}
