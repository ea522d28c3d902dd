internal import BellhopModel

extension NotificationPayload: QuickEncodable {
  func write(into json: inout QuickWriter) throws(WireError) {
    try json.item(item, times, selecting: selection)
  }
}

extension PublishedPayload: QuickEncodable {
  func write(into json: inout QuickWriter) throws(WireError) {
    json.raw("{\"@odata.context\":")
    json.string(Self.context)
    json.raw(",\"id\":")
    json.id(id)
    json.raw(",\"shortNumber\":")
    json.number(shortNumber)
    json.raw(",\"createdDateTime\":")
    json.time(created)
    try json.content(content)
    json.raw("}")
  }
}

extension PublishPayload: QuickEncodable {
  func write(into json: inout QuickWriter) throws(WireError) {
    json.raw("{")
    try json.content(content)
    json.raw("}")
  }
}

extension ListPayload: QuickEncodable {
  func write(into json: inout QuickWriter) throws(WireError) {
    json.raw("{")
    if let count {
      json.raw("\"@odata.count\":")
      json.number(Int64(count))
    }
    json.member("\"@odata.nextLink\":", nextLink)
    json.comma()
    json.raw("\"value\":[")
    for (index, item) in items.enumerated() {
      if index > 0 { json.raw(",") }
      try json.item(item, times[item.id], selecting: selection)
    }
    json.raw("]}")
  }
}

extension QuickWriter {
  /// Writes the selected members of an item; all of them if `selection` is nil.
  fileprivate mutating func item(
    _ item: UserNotification, _ times: TriggerTimes?, selecting selection: ItemSelection?
  ) throws(WireError) {
    guard let selection else { return try self.item(item, times) }
    var whole = QuickWriter(capacity: 1024)
    try whole.item(item, times)
    value(selection.part(of: try JSONValue(parsing: whole.bytes)))
  }

  mutating func item(
    _ item: UserNotification, _ times: TriggerTimes? = nil
  ) throws(WireError) {
    tag(item.state)
    id(item.id)
    raw(",\"shortNumber\":")
    number(item.shortNumber)
    raw(",\"status\":\"active\",\"createdDateTime\":")
    time(item.created)
    raw(",\"arrivalDateTime\":")
    time(item.arrival)
    try content(item.content)
    member("\"lastOccurrenceDateTime\":", times?.latest)
    member("\"nextTriggerDateTime\":", times?.next)
    if let repeats = item.repeats {
      raw(",\"repeats\":")
      raw(try WireJSON.encode(repeats))
    }
    try state(item.state)
    raw("}")
  }

  /// Opens the row's object with the entity tag and the key of the id.
  mutating func tag(_ state: ItemState) {
    raw("{\"@odata.etag\":\"\\\"")
    number(state.sequence.rawValue)
    raw("\\\"\",\"id\":")
  }

  fileprivate mutating func content(_ content: Content) throws(WireError) {
    member("\"targetHostName\":", content.app)
    member("\"appNotificationId\":", content.appNotificationID)
    member("\"groupName\":", content.group)
    raw(",\"priority\":")
    string(content.priority.name)
    if !content.tags.isEmpty {
      for (index, tag) in content.tags.enumerated() {
        raw(index == 0 ? ",\"tags\":[" : ",")
        string(tag)
      }
      raw("]")
    }
    raw(",\"payload\":{")
    if let raw = content.raw {
      self.raw("\"rawContent\":")
      string(raw)
    }
    if let visual = content.visual {
      if content.raw != nil { raw(",") }
      raw("\"visualContent\":{\"title\":")
      string(visual.title)
      member("\"subtitle\":", visual.subtitle)
      member("\"body\":", visual.body)
      raw("}")
    }
    raw("}")
    member("\"clickUrl\":", content.clickURL)
    member("\"expirationDateTime\":", content.expiration)
    if let life = content.displayTimeToLive {
      raw(",\"displayTimeToLive\":")
      number(life.milliseconds / 1000)
    }
    member("\"deliverAfterDateTime\":", content.deliverAt)
    let rare = RareMembers(content)
    guard !rare.isEmpty else { return }
    // The members without the braces of their object.
    let members = try WireJSON.encode(rare).dropFirst().dropLast()
    guard !members.isEmpty else { return }
    raw(",")
    raw(Array(members))
  }

  mutating func state(_ state: ItemState) throws(WireError) {
    raw(",\"sequence\":")
    number(state.sequence.rawValue)
    raw(",\"contentSequence\":")
    number(state.contentSequence.rawValue)
    if let meaning = state.meaning {
      raw(",\"meaningSequence\":")
      number(meaning.rawValue)
    }
    raw(",\"lastModifiedDateTime\":")
    time(state.changed)
    member("\"lastCrossingDateTime\":", state.crossed)
    member("\"resolvedDateTime\":", state.resolved)
    for member in RegisterText.all {
      let value = member.register.value(state.registers)
      if member.register.isOptional, value.code == 0, member.register.isUntouched(state.registers) {
        continue
      }
      raw(member.value)
      if let document = value.document {
        raw(try WireJSON.encode(document, sortingKeys: true))
      } else {
        raw(member.words[Int(value.code)])
      }
      if let until = value.until {
        raw(member.until)
        time(until)
      }
      try provenance(member.change, ProvenanceBody(of: member.register, in: state.registers))
    }
  }

  private mutating func provenance(
    _ name: [UInt8], _ body: ProvenanceBody?
  ) throws(WireError) {
    guard let body else { return }
    raw(name)
    raw("{")
    member("\"dateTime\":", body.dateTime)
    if let operation = body.operationId {
      raw(",\"operationId\":")
      id(operation)
    }
    member("\"deviceId\":", body.deviceId)
    member("\"deviceName\":", body.deviceName)
    member("\"publisherId\":", body.publisherId)
    member("\"publisherName\":", body.publisherName)
    member("\"ruleId\":", body.ruleId)
    member("\"ruleName\":", body.ruleName)
    member("\"previousValue\":", body.previousValue)
    member("\"previousSnoozedUntilDateTime\":", body.previousSnoozedUntilDateTime)
    if let document = body.previousDocument {
      comma()
      raw("\"previous\":")
      raw(try WireJSON.encode(document, sortingKeys: true))
    }
    member("\"actionId\":", body.actionId)
    member("\"actionTitle\":", body.actionTitle)
    member("\"actionText\":", body.actionText)
    member("\"occurrence\":", body.occurrence?.description)
    raw("}")
  }

  fileprivate mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    comma()
    raw(name)
    string(value)
  }

  private mutating func member(_ name: StaticString, _ value: Timestamp?) {
    guard let value else { return }
    comma()
    raw(name)
    time(value)
  }

  /// Writes a comma unless the object was just opened.
  fileprivate mutating func comma() {
    if bytes.last != UInt8(ascii: "{") { raw(",") }
  }
}

/// The member names and words of a register, encoded as JSON.
private struct RegisterText {
  let register: ItemRegister
  let value: [UInt8]
  /// Empty for a register whose values do not end.
  let until: [UInt8]
  let change: [UInt8]
  /// The words as JSON; not used for a register of documents.
  let words: [[UInt8]]

  private init(_ register: ItemRegister) {
    self.register = register
    value = Self.name(register.name)
    until = register.untilName.map(Self.name) ?? []
    change = Self.name(register.changeName)
    words = register.words.map { Array((register.form == .flag ? $0 : "\"\($0)\"").utf8) }
  }

  static let all = ItemRegister.all.map(RegisterText.init)

  /// Returns a member's name with the comma before it and the colon after it.
  private static func name(_ name: String) -> [UInt8] { Array(",\"\(name)\":".utf8) }
}
