internal import BellhopModel
internal import BellhopStore

/// The progress of a move as lines: one for each kind of data, and more for large ones.
struct MoveProgress: Sendable {
  /// The number of rows or attachments after which another line appears.
  static let countPerLine = 100_000

  private var last: CopyStep?

  /// Returns the lines that appear after a step.
  mutating func lines(after step: CopyStep) -> [String] {
    defer { last = step }
    guard let former = last, former.phase == step.phase else {
      var lines: [String] = []
      if let last, let total = Self.copied(last) { lines.append("Copied \(total).") }
      if step.phase == .verification { lines.append("Comparing counts and checksums.") }
      return lines
    }
    guard step.count / Self.countPerLine > former.count / Self.countPerLine else { return [] }
    return Self.copied(step).map { text in ["Copied \(text) so far."] } ?? []
  }

  /// Returns the number of copied things with their noun; nil for a step that copies nothing.
  private static func copied(_ step: CopyStep) -> String? {
    switch step.phase {
    case .rows(let table): step.count.counted(table.noun.one, table.noun.several)
    case .attachments: step.count.counted("attachment")
    case .verification: nil
    }
  }
}
