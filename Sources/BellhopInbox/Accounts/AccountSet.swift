package import BellhopModel
package import BellhopText

/// The accounts of the screen, in the order in which they are gone through.
package struct AccountSet: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var name: AccountName
    /// What people call it.
    package var label: SafeText

    package init(name: AccountName, label: SafeText) {
      self.name = name
      self.label = label
    }
  }

  /// Why the screen has one account where the device has several.
  package enum Limit: Hashable, Sendable {
    case option
    case configuration
  }

  package var entries: [Entry]
  /// Nil where the screen has all accounts of the device.
  package var limit: Limit?
  /// Whether items of all accounts may stand in one list; else one account is shown at a time.
  package var isMerged: Bool

  package init(_ entries: [Entry], isMerged: Bool = true, limit: Limit? = nil) {
    self.entries = entries
    self.limit = limit
    self.isMerged = isMerged
  }

  /// An account needs a name on the screen only beside another.
  var areSeveral: Bool { entries.count > 1 }

  func label(of name: AccountName) -> SafeText {
    entries.first { $0.name == name }?.label ?? SafeText(name.rawValue, byteLimit: 64)
  }

  /// What can be shown at a time: all together, where that is wanted, and each.
  var choices: [AccountName?] {
    (isMerged || !areSeveral ? [nil] : []) + (areSeveral ? entries.map(\.name) : [])
  }
}
