internal import BellhopModel

extension NotificationPayload: QuickDecodable {
  init(from json: inout QuickReader) throws(WireError) {
    self.init(try ItemDraft(&json).item())
  }
}

extension PublishedPayload: QuickDecodable {
  init(from json: inout QuickReader) throws(WireError) {
    self = try ItemDraft(&json).publication()
  }
}

extension ListPayload: QuickDecodable {
  init(from json: inout QuickReader) throws(WireError) {
    var items: [UserNotification]?
    var count: Int?
    var nextLink: String?
    try json.object { (name, json) throws(WireError) in
      if name.isEqual(to: "value") {
        items = try json.all { (json) throws(WireError) in try ItemDraft(&json).item() }
      } else if name.isEqual(to: "@odata.count") {
        count = Int(clamping: try json.number())
      } else if name.isEqual(to: "@odata.nextLink") {
        nextLink = try json.string()
      } else {
        _ = try json.value()
      }
    }
    self.init(items: try items.required("value"), count: count, nextLink: nextLink)
  }
}

extension Optional {
  /// Returns the value of a required member.
  ///
  /// - Throws: ``WireError/invalid(field:expectation:)`` when it is missing.
  func required(_ name: String) throws(WireError) -> Wrapped {
    guard let self else { throw .invalid(field: name, expectation: "a value; it is missing") }
    return self
  }
}

/// The members of an item or a delta row, collected in the order of the JSON.
struct ItemDraft {
  private var id: NotificationID?
  private var shortNumber: Int64?
  private var created: Timestamp?
  private var arrival: Timestamp?
  private var content = Content(app: "")
  /// The encoded ``RareMembers``, separated by commas.
  private var rare: [UInt8] = []
  private var app: String?
  private var priority: Priority?
  private var hasPayload = false
  private var isRemoved = false
  private var sequence: SequenceNumber?
  private var contentSequence: SequenceNumber?
  private var meaning: SequenceNumber?
  private var changed: Timestamp?
  private var crossed: Timestamp?
  private var resolved: Timestamp?
  private var repeats: Repeats?
  /// The drafts, in the order of `ItemRegister.all`.
  private var registers = [RegisterDraft](
    repeating: RegisterDraft(), count: RegisterNames.all.count)

  /// Reads an object.
  init(_ json: inout QuickReader) throws(WireError) {
    var draft = ItemDraft()
    try json.object { (name, json) throws(WireError) in
      if try draft.takeState(name, &json) { return }
      if try draft.takeContent(name, &json) { return }
      // Unknown members, from later versions, are ignored.
      let value = try json.value()
      if RareMembers.names.contains(where: { name.isEqual(to: $0) }) {
        draft.noteRare(name, value)
      }
    }
    self = draft
  }

  private init() {}

  /// Builds the row of a delta.
  ///
  /// A row with `payload` is a whole item, and one with `@removed` a tombstone. Any other row
  /// contains only the state.
  func change() throws(WireError) -> Change {
    if hasPayload { return .item(try item()) }
    let id = try id.required("id")
    if isRemoved { return .removed(id, sequence: try sequence.required("sequence")) }
    return .state(id, try state())
  }

  /// Builds the item.
  func item() throws(WireError) -> UserNotification {
    UserNotification(
      id: try id.required("id"), shortNumber: try shortNumber.required("shortNumber"),
      created: try created.required("createdDateTime"),
      arrival: try arrival.required("arrivalDateTime"), content: try wholeContent(),
      state: try state(), repeats: repeats)
  }

  /// Builds the item as publishers see it.
  func publication() throws(WireError) -> PublishedPayload {
    PublishedPayload(
      id: try id.required("id"), shortNumber: try shortNumber.required("shortNumber"),
      created: try created.required("createdDateTime"), content: try wholeContent())
  }

  private func state() throws(WireError) -> ItemState {
    var state = ItemState(
      sequence: try sequence.required("sequence"),
      contentSequence: try contentSequence.required("contentSequence"), meaning: meaning,
      changed: try changed.required("lastModifiedDateTime"), crossed: crossed, resolved: resolved)
    guard state.isConsistent else {
      throw .invalid(field: "meaningSequence", expectation: "a number below contentSequence")
    }
    for (register, draft) in zip(ItemRegister.all, registers) {
      try draft.load(register, into: &state.registers)
    }
    return state
  }

  private mutating func noteRare(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) {
    rare.append(UInt8(ascii: rare.isEmpty ? "{" : ","))
    rare.append(UInt8(ascii: "\""))
    rare.append(contentsOf: name)
    rare.append(contentsOf: "\":".utf8)
    rare.append(contentsOf: value)
  }

  /// Returns the content including its rare members, which `Codable` decodes.
  private func wholeContent() throws(WireError) -> Content {
    var content = content
    content.app = try app.required("targetHostName")
    content.priority = try priority.required("priority")
    if !hasPayload { throw .invalid(field: "payload", expectation: "a value; it is missing") }
    if !rare.isEmpty {
      let members = try WireJSON.decode(RareMembers.self, from: rare + [UInt8(ascii: "}")])
      (content.trigger, content.extras) = (members.trigger, members.extras)
    }
    return content
  }

  /// Reads a member of the state or the row's id. Returns false for any other member.
  private mutating func takeState(
    _ name: UnsafeBufferPointer<UInt8>, _ json: inout QuickReader
  ) throws(WireError) -> Bool {
    if name.isEqual(to: "id") {
      id = try json.id()
    } else if name.isEqual(to: "sequence") {
      sequence = SequenceNumber(try json.number())
    } else if name.isEqual(to: "contentSequence") {
      contentSequence = SequenceNumber(try json.number())
    } else if name.isEqual(to: "meaningSequence") {
      meaning = SequenceNumber(try json.number())
    } else if name.isEqual(to: "lastModifiedDateTime") {
      changed = try json.time()
    } else if name.isEqual(to: "lastCrossingDateTime") {
      crossed = try json.time()
    } else if name.isEqual(to: "resolvedDateTime") {
      resolved = try json.time()
    } else if name.isEqual(to: "@removed") {
      _ = try json.value()
      isRemoved = true
    } else {
      for (index, names) in RegisterNames.all.enumerated()
      where try registers[index].take(name, of: names, &json) { return true }
      return false
    }
    return true
  }

  /// Reads a member of the content. Returns false for any other member.
  private mutating func takeContent(
    _ name: UnsafeBufferPointer<UInt8>, _ json: inout QuickReader
  ) throws(WireError) -> Bool {
    if name.isEqual(to: "shortNumber") {
      shortNumber = try json.number()
    } else if name.isEqual(to: "createdDateTime") {
      created = try json.time()
    } else if name.isEqual(to: "arrivalDateTime") {
      arrival = try json.time()
    } else if name.isEqual(to: "targetHostName") {
      app = try json.string()
    } else if name.isEqual(to: "appNotificationId") {
      content.appNotificationID = try json.string()
    } else if name.isEqual(to: "groupName") {
      content.group = try json.string()
    } else if name.isEqual(to: "priority") {
      guard let known = Priority(name: try json.string()) else {
        throw .invalid(field: "", expectation: "min, low, normal, high or urgent")
      }
      priority = known
    } else if name.isEqual(to: "tags") {
      content.tags = try json.all { (json) throws(WireError) in try json.string() }
    } else if name.isEqual(to: "payload") {
      try takePayload(&json)
    } else if name.isEqual(to: "clickUrl") {
      content.clickURL = try json.string()
    } else if name.isEqual(to: "expirationDateTime") {
      content.expiration = try json.time()
    } else if name.isEqual(to: "displayTimeToLive") {
      content.displayTimeToLive = .seconds(try json.number())
    } else if name.isEqual(to: "deliverAfterDateTime") {
      content.deliverAt = try json.time()
    } else if name.isEqual(to: "repeats") {
      repeats = try WireJSON.decode(Repeats.self, from: try json.value())
    } else {
      return false
    }
    return true
  }

  private mutating func takePayload(_ json: inout QuickReader) throws(WireError) {
    hasPayload = true
    var raw: String?
    var visual: VisualContent?
    try json.object { (name, json) throws(WireError) in
      if name.isEqual(to: "rawContent") {
        raw = try json.string()
      } else if name.isEqual(to: "visualContent") {
        visual = try Self.visual(&json)
      } else {
        _ = try json.value()
      }
    }
    content.raw = raw
    content.visual = visual
  }

  private static func visual(_ json: inout QuickReader) throws(WireError) -> VisualContent {
    var title: String?
    var subtitle: String?
    var body: String?
    try json.object { (name, json) throws(WireError) in
      if name.isEqual(to: "title") {
        title = try json.string()
      } else if name.isEqual(to: "subtitle") {
        subtitle = try json.string()
      } else if name.isEqual(to: "body") {
        body = try json.string()
      } else {
        _ = try json.value()
      }
    }
    return VisualContent(title: try title.required("title"), subtitle: subtitle, body: body)
  }
}

/// The member names of a register, as bytes.
private struct RegisterNames {
  let register: ItemRegister
  let value: [UInt8]
  /// Empty for a register whose values do not end.
  let until: [UInt8]
  let change: [UInt8]

  private init(_ register: ItemRegister) {
    self.register = register
    value = Array(register.name.utf8)
    until = Array((register.untilName ?? "").utf8)
    change = Array(register.changeName.utf8)
  }

  static let all = ItemRegister.all.map(RegisterNames.init)
}

/// The members of a register, collected in the order of the JSON.
private struct RegisterDraft {
  /// The index of the value among the register's words.
  private var code: Int?
  private var until: Timestamp?
  /// The value itself, in a register of documents.
  private var document: AppliedEffect?
  private var provenance: ProvenanceBody?

  /// Reads a member of the register. Returns false for any other member.
  mutating func take(
    _ member: UnsafeBufferPointer<UInt8>, of names: RegisterNames, _ json: inout QuickReader
  ) throws(WireError) -> Bool {
    if member.isEqual(to: names.value) {
      try takeValue(of: names.register, &json)
    } else if member.isEqual(to: names.change) {
      provenance = try Self.provenance(&json)
    } else if member.isEqual(to: names.until) {
      until = try json.time()
    } else {
      return false
    }
    return true
  }

  private mutating func takeValue(
    of register: ItemRegister, _ json: inout QuickReader
  ) throws(WireError) {
    switch register.form {
    case .words:
      guard let known = register.words.firstIndex(of: try json.string()) else {
        throw .invalid(field: "", expectation: register.expectation)
      }
      code = known
    case .flag: code = try json.bool() ? 1 : 0
    case .document: document = try Self.effect(&json)
    }
  }

  private static func effect(_ json: inout QuickReader) throws(WireError) -> AppliedEffect {
    try WireJSON.decode(AppliedEffect.self, from: try json.value())
  }

  /// Sets the register to the collected value.
  func load(_ register: ItemRegister, into registers: inout ItemRegisters) throws(WireError) {
    if code == nil, document == nil, register.isOptional { return }
    let value: CodedValue
    if let document {
      value = CodedValue(document: document)
    } else {
      value = CodedValue(code: UInt8(try code.required(register.name)), until: until)
    }
    guard
      register.load(
        value, provenance?.previous(of: register), provenance?.change, &registers)
    else {
      throw .invalid(
        field: register.untilName ?? register.name,
        expectation: "a time with \(register.name) \(register.word(value))")
    }
  }

  private static func provenance(_ json: inout QuickReader) throws(WireError) -> ProvenanceBody {
    var body = ProvenanceBody()
    try json.object { (name, json) throws(WireError) in
      if name.isEqual(to: "dateTime") {
        body.dateTime = try json.time()
      } else if name.isEqual(to: "deviceId") {
        body.deviceId = try json.string()
      } else if name.isEqual(to: "deviceName") {
        body.deviceName = try json.string()
      } else if name.isEqual(to: "publisherId") {
        body.publisherId = try json.string()
      } else if name.isEqual(to: "publisherName") {
        body.publisherName = try json.string()
      } else if name.isEqual(to: "ruleId") {
        body.ruleId = try json.string()
      } else if name.isEqual(to: "ruleName") {
        body.ruleName = try json.string()
      } else if name.isEqual(to: "operationId") {
        body.operationId = try json.id()
      } else if name.isEqual(to: "previousValue") {
        body.previousValue = try json.string()
      } else if name.isEqual(to: "previousSnoozedUntilDateTime") {
        body.previousSnoozedUntilDateTime = try json.time()
      } else if name.isEqual(to: "previous") {
        body.previousDocument = try effect(&json)
      } else if name.isEqual(to: "actionId") {
        body.actionId = try json.string()
      } else if name.isEqual(to: "actionTitle") {
        body.actionTitle = try json.string()
      } else if name.isEqual(to: "actionText") {
        body.actionText = try json.string()
      } else if name.isEqual(to: "occurrence") {
        body.occurrence = Occurrence.Label(try json.string())
      } else {
        _ = try json.value()
      }
    }
    return body
  }
}
