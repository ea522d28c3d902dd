internal import BellhopCache
internal import BellhopClient
internal import BellhopModel
internal import BellhopText

/// A preview of a rule as a sentence.
struct RulePreviewText {
  let preview: RulePreview
  /// The beginning of the sentence: `The rule “ci”`.
  var subject: String

  /// The days before now whose items a preview compares.
  static let days = 30
  /// The most items that a preview lists.
  static let samplesMax = 20

  /// Returns the number of matches, how many come in a day, and which of them are listed.
  ///
  /// - Parameter shown: The number of items that are listed below the sentence.
  func sentence(listing shown: Int) -> String {
    let (matched, stopped) = (preview.matched, preview.stopped)
    let number = matched == 0 ? "no items" : matched.counted("item")
    var text = "\(subject) would have matched \(number) of the last \(Self.days) days"
    let rate = preview.days > 1 ? (matched + preview.days / 2) / preview.days : 0
    if rate > 0 { text += " (\(rate.grouped) a day)" }
    if stopped > 0 { text += ". For \(stopped.grouped) of them, an earlier rule stops" }
    guard shown > 0 else { return text + "." }
    let isCut = shown < matched - stopped
    return switch (isCut, stopped > 0) {
    case (false, false): text + ":"
    case (false, true): text + ". The others:"
    case (true, false): text + ". The newest \(shown):"
    case (true, true): text + ". The newest \(shown) of the others:"
    }
  }
}

extension Commands {
  /// The width of listed items if standard output is not a terminal.
  private static let lineCells = 80

  /// Returns the start of the days whose items previews compare.
  static func startOfPreviews(_ access: CacheAccess) throws -> Timestamp {
    try access.storeTime().advanced(by: .seconds(-86_400 * Int64(RulePreviewText.days)))
  }

  /// Returns what a rule with the condition would have done in the last days.
  ///
  /// - Parameters:
  ///   - earlier: The rules that act before it.
  ///   - samples: The most items to return.
  static func preview(
    of condition: RuleCondition, after earlier: [Rule], _ access: CacheAccess, samples: Int
  ) throws -> RulePreview {
    let since = try startOfPreviews(access)
    let reader = try access.newReader()
    return try failing {
      try reader.preview(condition, after: earlier, since: since, samples: samples)
    }
  }

  /// Returns the items of a preview as lines.
  ///
  /// - Parameter width: The width of a line; nil for complete ones.
  static func lines(
    of preview: RulePreview, _ access: CacheAccess, width: Int?
  ) throws -> [PrintedText] {
    let reader = try access.reader()
    let names = try reader.displayNames()
    let now = try access.storeTime()
    return try preview.samples.compactMap { sample -> PrintedText? in
      // The item may have been removed between the two reads.
      guard let item = try reader.item(sample.id)?.notification else { return nil }
      return ItemLine.text(item, appName: names[item.effectiveApp], at: now, width: width)
    }
  }

  /// Shows what a rule would have done, and asks whether the user agrees.
  ///
  /// Without a terminal it prints the numbers only, and allows the change, which can be undone.
  static func agrees(
    to question: String, _ definition: RuleDefinition, after earlier: [Rule],
    _ access: CacheAccess
  ) throws -> Bool {
    let preview = try preview(
      of: definition.condition, after: earlier, access,
      samples: Question.isPossible ? RulePreviewText.samplesMax : 0)
    let lines = try lines(of: preview, access, width: StandardOutput.width ?? lineCells)
    let text = RulePreviewText(
      preview: preview, subject: RuleText.subject(definition.name))
    StandardError.say(text.sentence(listing: lines.count))
    for line in lines { StandardError.say(SafeText(line.string)) }
    return Question.agrees(SafeText(question)) ?? true
  }
}
