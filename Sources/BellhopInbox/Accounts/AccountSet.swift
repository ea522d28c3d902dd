package import BellhopModel
package import BellhopText

/// The accounts of the screen, in the order in which the user cycles through them.
package struct AccountSet: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var name: AccountName
    /// The account's display name.
    package var label: SafeText

    package init(name: AccountName, label: SafeText) {
      self.name = name
      self.label = label
    }
  }

  /// The reason why the screen shows one account although the device has several.
  package enum Limit: Hashable, Sendable {
    case option
    case configuration
  }

  package var entries: [Entry]
  /// The limit, if any; nil if the screen has all accounts of the device.
  package var limit: Limit?
  /// Whether items of all accounts may share one list; otherwise one account is shown at a time.
  package var isMerged: Bool

  package init(_ entries: [Entry], isMerged: Bool = true, limit: Limit? = nil) {
    self.entries = entries
    self.limit = limit
    self.isMerged = isMerged
  }

  /// Whether there are several accounts, so that names have to be shown.
  var areSeveral: Bool { entries.count > 1 }

  func label(of name: AccountName) -> SafeText {
    entries.first { $0.name == name }?.label ?? SafeText(name.rawValue, byteLimit: 64)
  }

  /// The selectable views: all accounts together, if merging is enabled, and each account.
  var choices: [AccountName?] {
    (isMerged || !areSeveral ? [nil] : []) + (areSeveral ? entries.map(\.name) : [])
  }
}
