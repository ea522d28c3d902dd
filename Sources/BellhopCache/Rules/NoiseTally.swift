import BellhopModel

/// The sums of a report on noise while items are read, the newest first.
struct NoiseTally {
  private struct Group: Hashable {
    var app: String
    var name: String?
  }

  private struct Title: Hashable {
    var group: Group
    var text: String
  }

  private var groups: [Group: NoiseSums] = [:]
  private var titles: [Title: NoiseSums] = [:]

  /// The most titles with sums of their own. Items with further titles count for their group only.
  ///
  /// It bounds the memory for hundreds of thousands of items that all have different titles.
  private static let titlesMax = 20_000

  /// Adds an item.
  ///
  /// - Parameters:
  ///   - group: The group as published.
  ///   - repeats: The number of publications that collapsed into the item; 0 for an item of its own.
  mutating func add(_ row: CachedRow, group: String?, repeats: Int) {
    let group = Group(app: row.publishedApp, name: group)
    groups[group, default: NoiseSums()].add(row, repeats: repeats)
    guard row.hasVisualContent else { return }
    let text = String(decoding: row.title.withoutNumbers, as: UTF8.self)
    let title = Title(group: group, text: text)
    guard titles[title] != nil || titles.count < Self.titlesMax else { return }
    titles[title, default: NoiseSums(example: row.title)].add(row, repeats: repeats)
  }

  /// Returns the report, with at most this many lines.
  func report(limit: Int) -> NoiseReport {
    var report = NoiseReport()
    let groupsOfApps = Dictionary(grouping: groups.keys, by: \.app).mapValues(\.count)
    var repeatedAsWhole: Set<Group> = []
    for (title, sums) in titles where sums.count > 1 {
      var line = NoiseReport.Line(
        app: title.group.app, group: title.group.name, title: title.text)
      sums.fill(&line)
      line.exampleTitle = sums.example
      line.hasOtherGroups = groupsOfApps[line.app] ?? 1 > 1
      report.lines.append(line)
      if sums.items == groups[title.group]?.items { repeatedAsWhole.insert(title.group) }
    }
    for (group, sums) in groups {
      report.count += sums.count
      report.items += sums.items
      guard !repeatedAsWhole.contains(group) else { continue }
      var line = NoiseReport.Line(app: group.app, group: group.name)
      sums.fill(&line)
      line.hasOtherGroups = groupsOfApps[line.app] ?? 1 > 1
      report.lines.append(line)
    }
    report.lines.sort { $0.isAbove($1) }
    report.lines.removeLast(max(0, report.lines.count - max(0, limit)))
    return report
  }
}

/// The sums of one group or title.
private struct NoiseSums {
  /// The newest title; nil for a group.
  var example: String?
  var count = 0
  var items = 0
  private var handled = 0
  private var opened = 0
  private var answered = 0
  private var unread = 0
  /// The items above the level low, and those that a rule does not silence.
  private var loud = 0
  private var audible = 0
  /// The times until the user handled an item, in milliseconds.
  private var times: [Int64] = []

  init(example: String? = nil) { self.example = example }

  mutating func add(_ row: CachedRow, repeats: Int) {
    count += max(1, repeats)
    items += 1
    if row.registers.readState.value == .unread { unread += 1 }
    if row.priority > .low { loud += 1 }
    if !row.registers.applied.value.isSilent { audible += 1 }
    let action = row.registers.userActionState
    // Only a change by a device shows how the user handled the item.
    guard let change = action.change, change.by.device != nil else { return }
    switch action.value {
    case .noInteraction, .snoozed: return
    case .dismissed: break
    case .activated: if change.choice == nil { opened += 1 } else { answered += 1 }
    }
    handled += 1
    times.append(max(0, change.at.duration(since: row.arrival).milliseconds))
  }

  /// Sets the numbers and the advice of a line.
  func fill(_ line: inout NoiseReport.Line) {
    (line.count, line.items, line.handled) = (count, items, handled)
    (line.opened, line.answered, line.medianToHandle) = (opened, answered, median)
    line.advice = advice(mayCollapse: line.title != nil)
  }

  /// Returns the rule that would help most; nil for none.
  ///
  /// - Parameter mayCollapse: Whether the items are equal apart from numbers.
  private func advice(mayCollapse: Bool) -> NoiseAdvice? {
    typealias Line = NoiseReport.Line
    let used = opened + answered
    if mayCollapse, used == 0, items >= Line.collapsedItemsMin { return .collapse }
    guard items >= Line.itemsMin else { return nil }
    if let median, median <= Line.dismissedAtOnce, handled >= Line.itemsMin,
      used * Line.rarelyOpenedDivisor < items, loud > 0
    {
      return .lower
    }
    return unread == 0 && used == 0 && audible > 0 ? .silence : nil
  }

  /// The middle one of the times, or the mean of the two in the middle.
  private var median: Duration? {
    guard !times.isEmpty else { return nil }
    let sorted = times.sorted()
    let (low, high) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
    return .milliseconds(low + (high - low) / 2)
  }
}

extension NoiseReport.Line {
  /// Returns whether the line comes before another: by count, and by names where that is equal.
  ///
  /// A whole group comes before its titles.
  fileprivate func isAbove(_ other: NoiseReport.Line) -> Bool {
    if count != other.count { return count > other.count }
    let (names, others) = ([app, group, title], [other.app, other.group, other.title])
    for (name, otherName) in zip(names, others) where name != otherName {
      guard let name else { return true }
      guard let otherName else { return false }
      return name < otherName
    }
    return false
  }
}
