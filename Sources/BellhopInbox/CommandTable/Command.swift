import BellhopText

/// An action that the user can take by a key, a click or a word of the palette.
///
/// A command is one record: its name, its keys, where it applies, why it may be unavailable, and
/// its handler. The key map, the help, the footer, the palette and the key tables of the manual
/// and the README derive from it. A new command is one record in the file of its feature, listed in
/// the feature's `commands`.
package struct Command: Identifiable, Sendable {
  /// The chapters of the help and the manual, in order.
  package enum Chapter: String, CaseIterable, Sendable {
    case moving = "Moving"
    case handling = "Handling"
    case finding = "Finding and opening"
    case apps = "Apps"
    case places = "Tabs and panes"
    case program = "The program"
  }

  typealias Handler = @Sendable (_ state: inout InboxState, _ effects: inout [Effect]) -> Void

  /// The name in the configuration, such as `back-to-tray`.
  package let id: String
  /// The word in the footer.
  package let title: String
  /// The effect of the command, in one phrase for the help and the manual.
  package let help: String
  /// The names of similar commands in other programs, by which the palette also finds it.
  let synonyms: [String]
  /// Key sequences as spelled in the configuration, with blanks between the keys of a sequence.
  package let defaultKeys: [String]
  package let places: CommandScope
  package let chapter: Chapter
  /// Whether the command changes an item.
  ///
  /// Such a command is never bound to a letter that may be the tail of a split arrow key.
  package let changesItems: Bool
  let footer: Footer?
  /// The reason why the command would do nothing now; nil if it is available.
  let disabledReason: @Sendable (_ state: InboxState) -> DisabledReason?
  /// Help that depends on the state, such as the name of a view; nil for ``help``.
  let helpNow: @Sendable (_ state: InboxState) -> String?
  /// The handler, which runs only while ``disabledReason`` is nil.
  let perform: Handler

  init(
    id: String, title: String, help: String, synonyms: [String] = [], keys: [String],
    places: CommandScope, chapter: Chapter, changesItems: Bool = false, footer: Footer? = nil,
    disabledReason: @escaping @Sendable (_ state: InboxState) -> DisabledReason? = { _ in nil },
    helpNow: @escaping @Sendable (_ state: InboxState) -> String? = { _ in nil },
    perform: @escaping Handler
  ) {
    self.id = id
    self.title = title
    self.help = help
    self.synonyms = synonyms
    defaultKeys = keys
    self.places = places
    self.chapter = chapter
    self.changesItems = changesItems
    self.footer = footer
    self.disabledReason = disabledReason
    self.helpNow = helpNow
    self.perform = perform
  }
}

extension Command: Hashable {
  /// Compares two commands by their ids.
  package static func == (left: Command, right: Command) -> Bool { left.id == right.id }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Command {
  /// The place of a command among the hints in the footer.
  struct Footer: Sendable {
    /// The rank; lower ranks are further left.
    let rank: Int
    /// The word beside the key; nil for the command's title.
    let word: (@Sendable (_ state: InboxState) -> SafeText)?
    /// Whether the hint is shown while the command is available.
    let isUseful: @Sendable (_ state: InboxState) -> Bool

    init(
      _ rank: Int, word: (@Sendable (_ state: InboxState) -> SafeText)? = nil,
      isUseful: @escaping @Sendable (_ state: InboxState) -> Bool = { _ in true }
    ) {
      self.rank = rank
      self.word = word
      self.isUseful = isUseful
    }
  }
}

/// A sentence that explains why a command would do nothing now.
///
/// A key shows it in place of the command's effect, the palette beside the command.
struct DisabledReason: Hashable, Sendable, ExpressibleByStringInterpolation {
  enum Scope: Hashable, Sendable {
    /// The reason passes by itself within a moment: the footer keeps the hint.
    case moment
    /// The reason depends on the item or the list: the footer omits the hint.
    case here
    /// The screen has no such thing, such as a fourth saved view: help and palette omit it, too.
    case absent
  }

  var text: SafeText
  var scope: Scope

  init(_ text: SafeText, _ scope: Scope = .here) {
    self.text = text
    self.scope = scope
  }

  init(stringLiteral value: String) { self.init(SafeText(value)) }
}
