/// A user's filter of a list: every term must hold, and all words must occur.
///
/// Unlike a ``Predicate``, it never leaves the device, so it may test what only a device knows.
public struct ListFilter: Hashable, Sendable {
  /// One test, or its negation.
  public struct Term: Hashable, Sendable {
    public var test: Test
    public var isNegated: Bool

    public init(_ test: Test, isNegated: Bool = false) {
      self.test = test
      self.isNegated = isNegated
    }
  }

  public enum Test: Hashable, Sendable {
    /// The app's name matches one of the patterns.
    case app([NamePattern])
    /// The group's name matches one of the patterns; false for an item without a group.
    case group([NamePattern])
    /// At least one tag matches one of the patterns.
    case tag([NamePattern])
    /// The item has at least one of the states.
    case state([State])
    case priority(Comparison, Priority)
    /// The item arrived at this instant or later.
    case arrivedSince(Timestamp)
    /// The item arrived before this instant.
    case arrivedBefore(Timestamp)
  }

  /// A state of an item, as users name it in a filter.
  public enum State: String, Hashable, Sendable, CaseIterable {
    case unread, read
    /// In the tray; snoozed; not yet delivered.
    case tray, snoozed, scheduled
    case dismissed, activated
    /// Dismissed or activated.
    case handled
    case pinned = "kept"
    /// Raw content only.
    case data
  }

  public enum Comparison: String, Hashable, Sendable, CaseIterable {
    case atLeast = ">="
    case atMost = "<="
    case above = ">"
    case below = "<"
    case equal = "="
  }

  /// A name or its beginning; the case of the letters A to Z does not matter.
  public struct NamePattern: Hashable, Sendable {
    /// The name or its beginning, with A to Z in lower case.
    public let text: String
    /// Whether the name may continue after ``text``.
    public let isPrefix: Bool

    /// Creates a pattern.
    ///
    /// - Parameter pattern: A name, or the beginning of a name followed by `*`.
    public init(_ pattern: String) {
      isPrefix = pattern.hasSuffix("*")
      text = (isPrefix ? String(pattern.dropLast()) : pattern).asciiLowercased
    }

    /// The pattern as it is written: a name, or the beginning of a name followed by `*`.
    public var written: String { isPrefix ? text + "*" : text }

    public func matches(_ name: String) -> Bool { matches(lowercased: name.asciiLowercased) }

    /// Returns whether a name, with A to Z in lower case, matches.
    func matches(lowercased name: String) -> Bool {
      isPrefix ? name.utf8.starts(with: text.utf8) : name.utf8.elementsEqual(text.utf8)
    }
  }

  public var terms: [Term]
  /// The words as typed into a search; empty for none.
  public var words: String

  public init(terms: [Term] = [], words: String = "") {
    self.terms = terms
    self.words = words
  }

  /// Whether the filter accepts every item.
  public var isEmpty: Bool { terms.isEmpty && words.isEmpty }

  /// Returns whether every term is true for an item with this placement.
  ///
  /// Ignores ``words``: the search tests them.
  public func matches(_ item: UserNotification, in placement: Placement) -> Bool {
    condition.holds { $0.matches(item, in: placement) }
  }
}

extension String {
  /// The string with A to Z in lower case and everything else unchanged, as SQLite's `lower` does.
  var asciiLowercased: String {
    String(
      decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}
