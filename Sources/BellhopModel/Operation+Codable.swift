extension StateChange: Codable {
  /// The name of a register, of the time at which its value ends, or of a part of the choice.
  private struct Key: CodingKey {
    static let actionId = Key(stringValue: "actionId")
    static let actionTitle = Key(stringValue: "actionTitle")
    static let actionText = Key(stringValue: "actionText")
    static let actionRevision = Key(stringValue: "actionRevision")

    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init()
    for register in ItemRegister.all { try decode(register, from: container) }
    choice = try Self.choice(in: container, userActionState?.kind)
  }

  private mutating func decode(
    _ register: ItemRegister, from container: KeyedDecodingContainer<Key>
  ) throws {
    let key = Key(stringValue: register.name)
    if register.form == .document {
      let document = try container.decodeIfPresent(AppliedEffect.self, forKey: key)
      if let document { _ = register.want(CodedValue(document: document), &self) }
      return
    }
    let word =
      register.form == .flag
      ? try container.decodeIfPresent(Bool.self, forKey: key).map(String.init)
      : try container.decodeIfPresent(String.self, forKey: key)
    let untilKey = register.untilName.map(Key.init(stringValue:))
    let until = try untilKey.flatMap { try container.decodeIfPresent(Timestamp.self, forKey: $0) }
    guard let word else {
      if until == nil { return }
      throw container.invalid(untilKey ?? key, expected: "\(register.name) with this member")
    }
    guard let value = register.value(word, until: until) else {
      throw container.invalid(key, expected: register.expectation)
    }
    guard register.want(value, &self) else {
      throw container.invalid(untilKey ?? key, expected: "a time with \(register.name) \(word)")
    }
  }

  private static func choice(
    in container: KeyedDecodingContainer<Key>, _ kind: UserActionState.Kind?
  ) throws -> ActionChoice? {
    let id = try container.decodeIfPresent(String.self, forKey: .actionId)
    let text = try container.decodeIfPresent(String.self, forKey: .actionText)
    let revision = try container.decodeIfPresent(SequenceNumber.self, forKey: .actionRevision)
    guard let id else {
      guard text == nil, revision == nil else {
        throw container.invalid(
          text == nil ? .actionRevision : .actionText, expected: "actionId with this member")
      }
      return nil
    }
    guard kind == .activated || kind == .dismissed else {
      throw container.invalid(
        .actionId, expected: "userActionState activated or dismissed with this member")
    }
    return ActionChoice(
      id: id, title: try container.decodeIfPresent(String.self, forKey: .actionTitle), text: text,
      revision: revision)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for register in ItemRegister.all {
      guard let value = register.wanted(self) else { continue }
      let key = Key(stringValue: register.name)
      switch register.form {
      case .words: try container.encode(register.word(value), forKey: key)
      case .flag: try container.encode(value.code == 1, forKey: key)
      case .document: try container.encodeIfPresent(value.document, forKey: key)
      }
      guard let untilName = register.untilName else { continue }
      try container.encodeIfPresent(value.until, forKey: Key(stringValue: untilName))
    }
    try container.encodeIfPresent(choice?.id, forKey: .actionId)
    try container.encodeIfPresent(choice?.title, forKey: .actionTitle)
    try container.encodeIfPresent(choice?.text, forKey: .actionText)
    try container.encodeIfPresent(choice?.revision, forKey: .actionRevision)
  }
}

extension Operation: Codable {
  enum CodingKeys: String, CodingKey {
    case id, notificationId, notificationIds, matching, targetHostName, ruleId
    case seen, seenEach, seenOccurrence, seenOccurrences, seenOperation, seenOperations
    case set, delete, restore, configure, reschedule, publish, changeRule, applyRule, expect
  }

  private struct Expectation: Codable {
    var setBy: OperationID
  }

  private struct Rescheduling: Codable {
    var schedule: Schedule
    var made: Timestamp

    init(schedule: Schedule, made: Timestamp) { (self.schedule, self.made) = (schedule, made) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Schedule.CodingKeys.self)
      made = try container.decode(Timestamp.self, forKey: .made)
      schedule = try Schedule(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Schedule.CodingKeys.self)
      try container.encode(made, forKey: .made)
      try schedule.encode(to: encoder)
    }
  }

  private struct Publication: Codable {
    var content: Content
    var made: Timestamp

    init(content: Content, made: Timestamp) { (self.content, self.made) = (content, made) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Content.CodingKeys.self)
      made = try container.decode(Timestamp.self, forKey: .publishedDateTime)
      content = try Content(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Content.CodingKeys.self)
      try container.encode(made, forKey: .publishedDateTime)
      try content.encode(to: encoder)
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let id = try container.decode(OperationID.self, forKey: .id)
    self.init(
      id: id, target: try Self.target(in: container), mutation: try Self.mutation(in: container),
      seen: try container.decodeIfPresent(SequenceNumber.self, forKey: .seen),
      expect: try container.decodeIfPresent(Expectation.self, forKey: .expect)?.setBy)
    seenEach = try Self.each(
      [SequenceNumber].self, .seenEach, "one number for each of notificationIds, such as [12, 15]",
      of: target, in: container)
    occurrences = try Self.occurrences(of: target, in: container)
    seenOperations = try Self.seenOperations(of: target, in: container)
    try checkContent(in: container)
    if try isRuleChange(in: container) { return }
    if try isRuleApplication(in: container) { return }
    guard app != nil else {
      if case .set(let change) = mutation, change.choice != nil {
        guard case .item = target else {
          throw container.invalid(.set, expected: "actionId with notificationId")
        }
      }
      guard case .configure = mutation else { return }
      throw container.invalid(.configure, expected: "this member only with targetHostName")
    }
    guard case .configure = mutation, seen == nil, expect == nil else {
      throw container.invalid(
        .targetHostName, expected: "configure with this member, and nothing else")
    }
  }

  /// Checks the target of an operation that makes content.
  private func checkContent(in container: KeyedDecodingContainer<CodingKeys>) throws {
    if case .reschedule = mutation {
      guard case .item = target else {
        throw container.invalid(.reschedule, expected: "notificationId with it")
      }
    }
    if case .publish = mutation {
      guard target == .item(NotificationID(sameAs: id)), seen == nil, expect == nil else {
        throw container.invalid(
          .publish, expected: "with it a notificationId equal to id, and nothing else")
      }
    }
  }

  /// Decodes one value for each of the ids, in the same order.
  private static func each<Value: Decodable>(
    _ type: [Value].Type, _ key: CodingKeys, _ expectation: String, of target: Target,
    in container: KeyedDecodingContainer<CodingKeys>
  ) throws -> [NotificationID: Value]? {
    guard let values = try container.decodeIfPresent(type, forKey: key) else { return nil }
    guard case .items(let ids) = target, ids.count == values.count else {
      throw container.invalid(key, expected: expectation)
    }
    return Dictionary(zip(ids, values), uniquingKeysWith: { $1 })
  }

  private static func occurrences(
    of target: Target, in container: KeyedDecodingContainer<CodingKeys>
  ) throws -> SeenOccurrences? {
    if let labels = try each(
      [Occurrence.Label?].self, .seenOccurrences,
      "an occurrence or null for each of notificationIds", of: target, in: container)
    {
      return .labels(labels.compactMapValues { $0 })
    }
    if let label = try container.decodeIfPresent(
      Occurrence.Label.self, forKey: .seenOccurrence)
    {
      guard case .item = target else {
        throw container.invalid(.seenOccurrence, expected: "notificationId with this member")
      }
      return .label(label)
    }
    guard target.through != nil else { return nil }
    let matching = try container.decode(Matching.self, forKey: .matching)
    if let offset = matching.throughTimeOffset {
      // No zone has ever been further from UTC than this.
      guard matching.throughTime != nil, (-57_600...57_600).contains(offset) else {
        throw container.invalid(
          .matching, expected: "throughTimeOffset with throughTime, from -57600 to 57600 seconds")
      }
    }
    return matching.throughTime.map { .through($0, utcOffset: matching.throughTimeOffset) }
  }

  private static func seenOperations(
    of target: Target, in container: KeyedDecodingContainer<CodingKeys>
  ) throws -> [NotificationID: OperationID]? {
    if let operations = try each(
      [OperationID?].self, .seenOperations,
      "an operation or null for each of notificationIds", of: target, in: container)
    {
      return operations.compactMapValues { $0 }
    }
    guard
      let operation = try container.decodeIfPresent(OperationID.self, forKey: .seenOperation)
    else { return nil }
    guard case .item(let id) = target else {
      throw container.invalid(.seenOperation, expected: "notificationId with this member")
    }
    return [id: operation]
  }

  private static func target(in container: KeyedDecodingContainer<CodingKeys>) throws -> Target {
    if let rule = try ruleTarget(in: container) { return rule }
    let one = try container.decodeIfPresent(NotificationID.self, forKey: .notificationId)
    let several = try container.decodeIfPresent([NotificationID].self, forKey: .notificationIds)
    let matching = try container.decodeIfPresent(Matching.self, forKey: .matching)
    let app = try container.decodeIfPresent(String.self, forKey: .targetHostName)
    switch (one, several, matching, app) {
    case (let id?, nil, nil, nil): return .item(id)
    case (nil, let ids?, nil, nil): return .items(ids)
    case (nil, nil, nil, let app?): return .app(app)
    case (nil, nil, let matching?, nil):
      guard let target = matching.target else {
        throw container.invalid(
          .matching,
          expected: "predicate with throughSequence, setBy, or rule with revision, definition and "
            + "throughSequence")
      }
      return target
    default:  // open: (NotificationID?, [NotificationID]?, Matching?, String?)
      throw container.invalid(
        .notificationId,
        expected: "one of notificationId, notificationIds, matching, targetHostName and ruleId")
    }
  }

  private static func mutation(
    in container: KeyedDecodingContainer<CodingKeys>
  ) throws -> Mutation {
    if let change = try ruleMutation(in: container) { return change }
    let set = try container.decodeIfPresent(StateChange.self, forKey: .set)
    let delete = try container.decodeIfPresent(Bool.self, forKey: .delete) ?? false
    let restore = try container.decodeIfPresent(Bool.self, forKey: .restore) ?? false
    let configure = try container.decodeIfPresent(AppSettingsChange.self, forKey: .configure)
    let schedule = try container.decodeIfPresent(Rescheduling.self, forKey: .reschedule)
    let publication = try container.decodeIfPresent(Publication.self, forKey: .publish)
    switch (set, delete, restore, configure, schedule, publication) {
    case (let set?, false, false, nil, nil, nil) where !set.isEmpty: return .set(set)
    case (nil, true, false, nil, nil, nil): return .delete
    case (nil, false, true, nil, nil, nil): return .restorePrevious
    case (nil, false, false, let change?, nil, nil) where !change.isEmpty:
      return .configure(change)
    case (nil, false, false, nil, let new?, nil): return .reschedule(new.schedule, at: new.made)
    case (nil, false, false, nil, nil, let new?): return .publish(new.content, at: new.made)
    default:  // open: (StateChange?, Bool, Bool, AppSettingsChange?, Rescheduling?, Publication?)
      throw container.invalid(
        .set,
        expected: "one of set, configure and changeRule with at least one field, delete, "
          + "restore, reschedule, publish and applyRule")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    switch target {
    case .item(let id): try container.encode(id, forKey: .notificationId)
    case .items(let ids): try container.encode(ids, forKey: .notificationIds)
    case .matching, .matchingRule, .setBy:
      try container.encode(Matching(target, shown: occurrences), forKey: .matching)
    case .app(let name): try container.encode(name, forKey: .targetHostName)
    case .rule(let id): try container.encode(id, forKey: .ruleId)
    }
    switch mutation {
    case .set(let change): try container.encode(change, forKey: .set)
    case .delete: try container.encode(true, forKey: .delete)
    case .restorePrevious: try container.encode(true, forKey: .restore)
    case .configure(let change): try container.encode(change, forKey: .configure)
    case .reschedule(let schedule, let made):
      try container.encode(Rescheduling(schedule: schedule, made: made), forKey: .reschedule)
    case .publish(let content, let made):
      try container.encode(Publication(content: content, made: made), forKey: .publish)
    case .changeRule(let change): try container.encode(change, forKey: .changeRule)
    case .applyRule(let made):
      try container.encode(RuleApplication(made: made), forKey: .applyRule)
    }
    try container.encodeIfPresent(seen, forKey: .seen)
    if let seenEach {
      try container.encode(notificationIDs.map { seenEach[$0] ?? .zero }, forKey: .seenEach)
    }
    switch occurrences {
    case .label(let label): try container.encode(label, forKey: .seenOccurrence)
    case .labels(let labels):
      try container.encode(notificationIDs.map { labels[$0] }, forKey: .seenOccurrences)
    case .through, nil: break
    }
    switch target {
    case .item(let id): try container.encodeIfPresent(seenOperations?[id], forKey: .seenOperation)
    case .items(let ids):
      if let seenOperations {
        try container.encode(ids.map { seenOperations[$0] }, forKey: .seenOperations)
      }
    case .matching, .matchingRule, .setBy, .app, .rule: break
    }
    try container.encodeIfPresent(expect.map(Expectation.init(setBy:)), forKey: .expect)
  }
}
