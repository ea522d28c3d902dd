internal import BellhopModel

extension DeltaPayload {
  init?(quickly bytes: some Collection<UInt8>) {
    let quick = bytes.withContiguousStorageIfAvailable { buffer -> DeltaPayload? in
      var reader = QuickReader(buffer)
      guard let payload = try? Self.read(&reader), reader.isAtEnd else { return nil }
      return payload
    }
    guard let quick, let payload = quick else { return nil }
    self = payload
  }

  private static func read(_ reader: inout QuickReader) throws(NotQuick) -> DeltaPayload {
    var rows: [Change]?
    var apps: [AppSettings] = []
    var sequence: SequenceNumber?
    var epoch: Epoch?
    var validThrough: SequenceNumber?
    var started: DeltaToken?
    var itemCount: Int?
    var end: End?
    try reader.object { (name, reader) throws(NotQuick) in
      if name.isEqual(to: "value") {
        var items: [Change] = []
        try reader.array { (reader) throws(NotQuick) in items.append(try QuickRow.read(&reader)) }
        rows = items
      } else if name.isEqual(to: "@bellhop.apps") {
        var settings: [AppSettings] = []
        try reader.array { (reader) throws(NotQuick) in
          settings.append(try QuickSettings.read(&reader))
        }
        apps = settings
      } else if name.isEqual(to: "@bellhop.sequence") {
        sequence = SequenceNumber(try reader.number())
      } else if name.isEqual(to: "@bellhop.epoch") {
        epoch = Epoch(try reader.string())
      } else if name.isEqual(to: "@bellhop.itemCount") {
        itemCount = Int(clamping: try reader.number())
      } else if name.isEqual(to: "@bellhop.validThrough") {
        validThrough = SequenceNumber(try reader.number())
      } else if name.isEqual(to: "@bellhop.startLink") {
        started = DeltaToken(try token("$deltatoken", &reader))
      } else if name.isEqual(to: "@odata.nextLink") {
        end = .next(page: try token("$skiptoken", &reader))
      } else if name.isEqual(to: "@odata.deltaLink") {
        end = .complete(DeltaToken(try token("$deltatoken", &reader)))
      } else {
        _ = try reader.value()
      }
    }
    guard let rows, let sequence, let epoch, let end else { throw NotQuick() }
    return DeltaPayload(
      changes: Self.changes(rows, apps, isFirstSync: started != nil), end: end, started: started,
      sequence: sequence, epoch: epoch, validThrough: validThrough, itemCount: itemCount)
  }

  private static func token(
    _ parameter: String, _ reader: inout QuickReader
  ) throws(NotQuick) -> String {
    guard let token = Route.parameter(parameter, of: try reader.string()), !token.isEmpty else {
      throw NotQuick()
    }
    return token
  }
}

/// The members of a row of a delta, as they come.
private struct QuickRow {
  private var id: NotificationID?
  private var shortNumber: Int64?
  private var created: Timestamp?
  private var arrival: Timestamp?
  private var content = Content(app: "")
  /// The members of ``ExtrasBody`` as they came, separated by commas.
  private var extras: [UInt8] = []
  private var hasApp = false
  private var hasPriority = false
  private var hasPayload = false
  private var isRemoved = false
  private var sequence: SequenceNumber?
  private var contentSequence: SequenceNumber?
  private var changed: Timestamp?
  /// In the order of `ItemRegister.all`.
  private var registers = [RegisterDraft](
    repeating: RegisterDraft(), count: RegisterNames.all.count)

  static func read(_ reader: inout QuickReader) throws(NotQuick) -> Change {
    var row = QuickRow()
    try reader.object { (name, reader) throws(NotQuick) in
      if try row.takeState(name, &reader) { return }
      if try row.takeContent(name, &reader) { return }
      // Members of later versions are passed over.
      let value = try reader.value()
      if ExtrasBody.names.contains(where: { name.isEqual(to: $0) }) {
        row.noteExtra(name, value)
      }
    }
    return try row.change()
  }

  private func change() throws(NotQuick) -> Change {
    guard let id, let sequence else { throw NotQuick() }
    if isRemoved, !hasPayload { return .removed(id, sequence: sequence) }
    guard let contentSequence, let changed else { throw NotQuick() }
    var state = ItemState(
      sequence: sequence, contentSequence: contentSequence, changed: changed)
    for (register, draft) in zip(ItemRegister.all, registers) {
      try draft.load(register, into: &state.registers)
    }
    guard hasPayload else { return .state(id, state) }
    guard hasApp, hasPriority, let shortNumber, let created, let arrival else { throw NotQuick() }
    let content = try wholeContent()
    return .item(
      UserNotification(
        id: id, shortNumber: shortNumber, created: created, arrival: arrival, content: content,
        state: state))
  }

  private mutating func noteExtra(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) {
    extras.append(UInt8(ascii: extras.isEmpty ? "{" : ","))
    extras.append(UInt8(ascii: "\""))
    extras.append(contentsOf: name)
    extras.append(contentsOf: "\":".utf8)
    extras.append(contentsOf: value)
  }

  /// The content with its rare members, which `Codable` reads.
  private func wholeContent() throws(NotQuick) -> Content {
    guard !extras.isEmpty else { return content }
    var content = content
    do {
      content.extras = try WireJSON.decode(
        ExtrasBody.self, from: extras + [UInt8(ascii: "}")]
      ).extras
    } catch {
      throw NotQuick()
    }
    return content
  }

  /// Reads a member of the state, or what names the row; false for any other.
  private mutating func takeState(
    _ name: UnsafeBufferPointer<UInt8>, _ reader: inout QuickReader
  ) throws(NotQuick) -> Bool {
    if name.isEqual(to: "id") {
      id = try reader.id()
    } else if name.isEqual(to: "sequence") {
      sequence = SequenceNumber(try reader.number())
    } else if name.isEqual(to: "contentSequence") {
      contentSequence = SequenceNumber(try reader.number())
    } else if name.isEqual(to: "lastModifiedDateTime") {
      changed = try reader.time()
    } else if name.isEqual(to: "@removed") {
      try reader.object { (_, reader) throws(NotQuick) in _ = try reader.string() }
      isRemoved = true
    } else {
      for (index, names) in RegisterNames.all.enumerated()
      where try registers[index].take(name, of: names, &reader) { return true }
      return false
    }
    return true
  }

  /// Reads a member of the content; false for any other.
  private mutating func takeContent(
    _ name: UnsafeBufferPointer<UInt8>, _ reader: inout QuickReader
  ) throws(NotQuick) -> Bool {
    if name.isEqual(to: "@odata.etag") || name.isEqual(to: "status") {
      _ = try reader.string()
    } else if name.isEqual(to: "shortNumber") {
      shortNumber = try reader.number()
    } else if name.isEqual(to: "createdDateTime") {
      created = try reader.time()
    } else if name.isEqual(to: "arrivalDateTime") {
      arrival = try reader.time()
    } else if name.isEqual(to: "targetHostName") {
      content.app = try reader.string()
      hasApp = true
    } else if name.isEqual(to: "appNotificationId") {
      content.appNotificationID = try reader.string()
    } else if name.isEqual(to: "groupName") {
      content.group = try reader.string()
    } else if name.isEqual(to: "priority") {
      guard let priority = Priority(name: try reader.string()) else { throw NotQuick() }
      content.priority = priority
      hasPriority = true
    } else if name.isEqual(to: "tags") {
      var tags: [String] = []
      try reader.array { (reader) throws(NotQuick) in tags.append(try reader.string()) }
      content.tags = tags
    } else if name.isEqual(to: "payload") {
      try takePayload(&reader)
    } else if name.isEqual(to: "clickUrl") {
      content.clickURL = try reader.string()
    } else if name.isEqual(to: "expirationDateTime") {
      content.expiration = try reader.time()
    } else if name.isEqual(to: "displayTimeToLive") {
      content.displayTimeToLive = .seconds(try reader.number())
    } else if name.isEqual(to: "deliverAfterDateTime") {
      content.deliverAt = try reader.time()
    } else {
      return false
    }
    return true
  }

  private mutating func takePayload(_ reader: inout QuickReader) throws(NotQuick) {
    hasPayload = true
    var raw: String?
    var visual: VisualContent?
    try reader.object { (name, reader) throws(NotQuick) in
      if name.isEqual(to: "rawContent") {
        raw = try reader.string()
      } else if name.isEqual(to: "visualContent") {
        visual = try Self.visual(&reader)
      } else {
        throw NotQuick()
      }
    }
    content.raw = raw
    content.visual = visual
  }

  private static func visual(_ reader: inout QuickReader) throws(NotQuick) -> VisualContent {
    var title: String?
    var subtitle: String?
    var body: String?
    try reader.object { (name, reader) throws(NotQuick) in
      if name.isEqual(to: "title") {
        title = try reader.string()
      } else if name.isEqual(to: "subtitle") {
        subtitle = try reader.string()
      } else if name.isEqual(to: "body") {
        body = try reader.string()
      } else {
        throw NotQuick()
      }
    }
    guard let title else { throw NotQuick() }
    return VisualContent(title: title, subtitle: subtitle, body: body)
  }
}

/// The names of a register's members, in bytes.
private struct RegisterNames {
  let register: ItemRegister
  let value: [UInt8]
  /// Empty where no value ends.
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

/// The members of a row that hold a register, as they come.
private struct RegisterDraft {
  /// The position of the value's word.
  private var code: Int?
  private var until: Timestamp?
  private var provenance: ProvenanceBody?

  /// Reads a member of the register; false for any other.
  mutating func take(
    _ member: UnsafeBufferPointer<UInt8>, of names: RegisterNames, _ reader: inout QuickReader
  ) throws(NotQuick) -> Bool {
    if member.isEqual(to: names.value) {
      if names.register.isFlag {
        code = try reader.bool() ? 1 : 0
      } else {
        let word = try reader.string()
        code = names.register.words.firstIndex(of: word)
      }
    } else if member.isEqual(to: names.change) {
      provenance = try Self.provenance(&reader)
    } else if member.isEqual(to: names.until) {
      until = try reader.time()
    } else {
      return false
    }
    return true
  }

  func load(_ register: ItemRegister, into registers: inout ItemRegisters) throws(NotQuick) {
    guard let code,
      StateCoding.load(
        CodedValue(code: UInt8(code), until: until), provenance, of: register, into: &registers)
    else { throw NotQuick() }
  }

  private static func provenance(_ reader: inout QuickReader) throws(NotQuick) -> ProvenanceBody {
    var body = ProvenanceBody()
    try reader.object { (name, reader) throws(NotQuick) in
      if name.isEqual(to: "dateTime") {
        body.dateTime = try reader.time()
      } else if name.isEqual(to: "deviceId") {
        body.deviceId = try reader.string()
      } else if name.isEqual(to: "deviceName") {
        body.deviceName = try reader.string()
      } else if name.isEqual(to: "publisherId") {
        body.publisherId = try reader.string()
      } else if name.isEqual(to: "publisherName") {
        body.publisherName = try reader.string()
      } else if name.isEqual(to: "operationId") {
        body.operationId = try reader.id()
      } else if name.isEqual(to: "previousValue") {
        body.previousValue = try reader.string()
      } else if name.isEqual(to: "previousSnoozedUntilDateTime") {
        body.previousSnoozedUntilDateTime = try reader.time()
      } else if name.isEqual(to: "actionId") {
        body.actionId = try reader.string()
      } else if name.isEqual(to: "actionTitle") {
        body.actionTitle = try reader.string()
      } else if name.isEqual(to: "actionText") {
        body.actionText = try reader.string()
      } else {
        throw NotQuick()
      }
    }
    return body
  }
}
