internal import BellhopModel

/// The notifications of the last days by group and by repeated title, with what their user did.
package struct NoiseReport: Hashable, Sendable {
  /// A group of an app, or the items of the group with one title.
  package struct Line: Hashable, Sendable {
    /// The app that published the items.
    package var app: String
    /// The group as published; nil for items without a group.
    package var group: String?
    /// The title with one `#` for each run of digits; nil for the whole group.
    package var title: String?
    /// The newest title of the items as published; nil for the whole group.
    package var exampleTitle: String?
    /// Whether the app also publishes items with another group, or without one.
    package var hasOtherGroups = false
    /// The number of notifications: items, and the repeats that collapsed into them.
    package var count = 0
    /// The number of items, of which the following numbers are a part.
    package var items = 0
    /// The items that the user dismissed or activated.
    package var handled = 0
    /// The items that the user activated without an action.
    package var opened = 0
    /// The items that the user handled by one of their actions.
    package var answered = 0
    /// The median of the times from the arrival of an item until the user handled it.
    ///
    /// Nil if the user handled none.
    package var medianToHandle: Duration?
    package var advice: NoiseAdvice?

    package init(app: String, group: String? = nil, title: String? = nil) {
      self.app = app
      self.group = group
      self.title = title
    }
  }

  /// The number of notifications of all groups.
  package var count = 0
  /// The number of items of all groups.
  package var items = 0
  /// The groups and the repeated titles with the most notifications, the largest number first.
  ///
  /// A group whose items all have the same title has one line, for the title.
  package var lines: [Line] = []

  package init() {}
}

/// The kind of rule that would help against noise.
package enum NoiseAdvice: String, Hashable, Sendable, CaseIterable {
  /// Equal items become one, because the user never opens them.
  case collapse
  /// The level becomes low, because the user dismisses the items without reading them.
  case lower
  /// The items are silent, because the user reads all of them and opens none.
  case silence
}

extension NoiseReport.Line {
  /// The fewest items for the advice to collapse them.
  static let collapsedItemsMin = 20
  /// The fewest items for other advice: a habit, not an exception.
  static let itemsMin = 5
  /// The median up to which an item was dismissed without being read.
  static let dismissedAtOnce = Duration.seconds(60)
  /// The share of opened items, as its divisor, below which they are hardly ever opened: 5 %.
  static let rarelyOpenedDivisor = 20
}
