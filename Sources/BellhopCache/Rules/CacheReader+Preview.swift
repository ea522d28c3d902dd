package import BellhopModel

extension CacheReader {
  package func preview(
    _ condition: RuleCondition, after earlier: [Rule], since: Timestamp, samples: Int,
    report: (RulePreview) -> Void
  ) throws(CacheError) -> RulePreview {
    try searchConnection().read { statement in
      var tally = RulePreviewTally(condition, after: earlier, samples: samples)
      let candidates = FilterSQL(candidatesOf: condition)
      // One statement, so that an interrupt ends it at the next row.
      let items = try statement.once(
        """
        SELECT (\(candidates.text)), \(PublishedColumn.selected(tally.searchedParts))
        FROM item NOT INDEXED
        WHERE item.arrival_key >= ? AND \(Placement.listed.condition)
        ORDER BY item.arrival_key DESC
        """)
      try candidates.bind(to: items).bind(ArrivalKey(floorOf: since)).eachRow { item in
        let row = NamedRow<PublishedColumn>(item)
        let key = ArrivalKey(rawValue: row.integer(.arrivalKey))
        tally.count(arrivedAt: key.arrival)
        if row.bool(.isCandidate), tally.compare(try row.content()),
          let sample = try statement.line(at: key)
        {
          tally.add(sample)
        }
        if tally.isReportDue { report(tally.preview) }
      }
      return tally.completed
    }
  }

  package func matches(
    of conditions: [RuleCondition], since: Timestamp
  ) throws(CacheError) -> [Int] {
    try searchConnection().read { statement in
      let parts = conditions.reduce(into: Set<RuleCondition.Part>()) { parts, condition in
        parts.formUnion(condition.searchedParts)
      }
      var counts = conditions.map { _ in 0 }
      // The conditions of all rules may have more names than a statement has parameters.
      try statement.once(
        """
        SELECT 1, \(PublishedColumn.selected(parts)) FROM item NOT INDEXED
        WHERE item.arrival_key >= ? AND \(Placement.listed.condition)
        """
      ).bind(ArrivalKey(floorOf: since)).eachRow { item in
        let content = try NamedRow<PublishedColumn>(item).content()
        for index in conditions.indices(metBy: content) { counts[index] += 1 }
      }
      return counts
    }
  }
}

extension MemoryCache {
  package func matches(
    of conditions: [RuleCondition], since: Timestamp
  ) throws(CacheError) -> [Int] {
    var counts = conditions.map { _ in 0 }
    let first = ArrivalKey(floorOf: since)
    for record in contents.records where record.isInHistory && record.key >= first {
      for index in conditions.indices(metBy: record.base.content) { counts[index] += 1 }
    }
    return counts
  }

  package func preview(
    _ condition: RuleCondition, after earlier: [Rule], since: Timestamp, samples: Int,
    report: (RulePreview) -> Void
  ) throws(CacheError) -> RulePreview {
    var tally = RulePreviewTally(condition, after: earlier, samples: samples)
    let first = ArrivalKey(floorOf: since)
    for record in contents.records where record.isInHistory && record.key >= first {
      tally.count(arrivedAt: record.key.arrival)
      if tally.compare(record.base.content) { tally.add(CachedRow(record)) }
      if tally.isReportDue { report(tally.preview) }
    }
    return tally.completed
  }
}

extension Statements {
  /// Returns the row of the item with this key.
  fileprivate func line(at key: ArrivalKey) throws -> CachedRow? {
    try self("SELECT \(ItemColumns.line) FROM item WHERE arrival_key = ?").bind(key)
      .first(ItemColumns.row)
  }
}

/// The columns of the published content that conditions test.
private enum PublishedColumn: Int, TableColumn {
  /// The condition that every item meets on which the rule acts.
  case isCandidate
  case arrivalKey, app, groupName, priority, tags, published, title, subtitle, body

  /// Returns the expressions for the columns after the first, NULL for texts that are not searched.
  static func selected(_ parts: Set<RuleCondition.Part>) -> String {
    allCases.dropFirst().map { column -> String in
      switch column {
      case .subtitle where !parts.contains(.subtitle), .body where !parts.contains(.body): "NULL"
      case .isCandidate, .arrivalKey, .app, .groupName, .priority, .tags, .published, .title,
        .subtitle, .body:
        "item." + column.name
      }
    }.joined(separator: ", ")
  }
}

extension NamedRow where Column == PublishedColumn {
  /// Returns the published content, as far as conditions test it.
  fileprivate func content() throws -> Content {
    let fields = try EffectiveFields(
      published: textOrNil(.published), app: text(.app), group: textOrNil(.groupName),
      priority: count(.priority), tags: textOrNil(.tags))
    return Content(
      app: fields.app, group: fields.group, priority: fields.priority, tags: fields.tags,
      visual: textOrNil(.title).map { title in
        VisualContent(title: title, subtitle: textOrNil(.subtitle), body: textOrNil(.body))
      })
  }
}

extension FilterSQL {
  /// Creates a condition that is true of every item that meets the condition of a rule.
  ///
  /// It may be true of others: texts are not tested, and the tags only while they are as published.
  init(candidatesOf condition: RuleCondition) {
    self = .all(
      condition.terms.compactMap { term -> FilterSQL? in
        let test: ListTest
        switch term.test {
        case .app(let patterns): test = .item(.name(.publishedHostName, patterns))
        case .group(let patterns): test = .item(.name(.publishedGroupName, patterns))
        case .level(let comparison, let level):
          test = .item(
            .compare(.publishedPriority, comparison.comparison, .priority(level)))
        case .tag(let patterns): test = .tagName(patterns)
        case .pattern, .phrase: return nil
        }
        let whole: Condition<ListTest> = term.isNegated ? .not(.test(test)) : .test(test)
        let sql = whole.sql(\.sql)
        guard case .tag = term.test else { return sql }
        return .any([FilterSQL("item.published IS NOT NULL"), sql])
      })
  }
}
