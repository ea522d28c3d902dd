/// The apps that count in title and status bars with a number of their own, instead of their unread
/// items.
package struct BadgeShares: Hashable, Sendable {
  /// The unread items of these apps in the tray.
  package var unread = 0
  /// The sum of their numbers.
  package var sum = 0

  /// Returns the number in title and status bars.
  ///
  /// - Parameter unread: The unread items in the tray, of all apps.
  package func badge(ofUnread unread: Int) -> Int { max(0, unread - self.unread) + sum }
}
