import BellhopModel

/// Sample items for these tests; times are milliseconds after ``start``.
enum Sample {
  static let start = Timestamp("2026-11-21T06:00:00Z") ?? .distantPast
  static let author = Author(kind: .device, id: "laptop", name: "work-laptop")

  static func time(_ seconds: Int64) -> Timestamp { start.advanced(by: .seconds(seconds)) }

  static func id<Tag>(_ number: UInt64) -> UniqueID<Tag> {
    .version7(at: start, random: (number, number))
  }

  /// A change that clears an app's display name and mutes it for ten minutes.
  static var change: AppSettingsChange {
    var change = AppSettingsChange()
    change.displayName = .clear
    change.mute = .until(time(600))
    return change
  }

  static func item(
    _ content: Content = Content(app: "ci", visual: VisualContent(title: "build 412 failed")),
    contentSequence: Int64 = 5, arrival: Timestamp = start
  ) -> UserNotification {
    UserNotification(
      id: id(1), shortNumber: 1, created: start, arrival: arrival, content: content,
      state: ItemState(
        sequence: SequenceNumber(contentSequence),
        contentSequence: SequenceNumber(contentSequence), changed: start))
  }

  static func operation(
    _ command: ItemCommand, number: UInt64 = 100, seen: Int64? = nil, expect: OperationID? = nil
  ) -> Operation {
    Operation(
      id: id(number), target: .item(id(1)), mutation: command.mutation,
      seen: seen.map { SequenceNumber($0) }, expect: expect)
  }
}
