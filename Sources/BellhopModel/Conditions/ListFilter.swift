/// What a person narrows a list to: every term must hold, and all words must occur.
///
/// Unlike a ``Predicate`` it never leaves the device, so it may name what only a device knows.
public struct ListFilter: Hashable, Sendable {
  /// One condition, or its opposite.
  public struct Term: Hashable, Sendable {
    public var test: Test
    public var isNegated: Bool

    public init(_ test: Test, isNegated: Bool = false) {
      self.test = test
      self.isNegated = isNegated
    }
  }

  public enum Test: Hashable, Sendable {
    /// The app's name is one of these.
    case app([NamePattern])
    /// The group's name is one of these; an item without a group has none of them.
    case group([NamePattern])
    /// At least one tag is one of these.
    case tag([NamePattern])
    /// At least one of these is so.
    case state([State])
    case priority(Comparison, Priority)
    /// Arrived at this instant or later.
    case arrivedSince(Timestamp)
    /// Arrived before this instant.
    case arrivedBefore(Timestamp)
  }

  /// How an item may be.
  public enum State: String, Hashable, Sendable, CaseIterable {
    case unread, read
    /// In the tray; out of it for a while; not delivered yet.
    case tray, snoozed, scheduled
    case dismissed, activated
    /// Dismissed or activated.
    case handled
    case kept
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

  /// A name, or its beginning; letters from A to Z in either case.
  public struct NamePattern: Hashable, Sendable {
    /// With A to Z in lower case.
    public let text: String
    /// Whether the name may go on after it.
    public let isPrefix: Bool

    /// - Parameter pattern: A name, with `*` at its end for a beginning.
    public init(_ pattern: String) {
      isPrefix = pattern.hasSuffix("*")
      text = (isPrefix ? String(pattern.dropLast()) : pattern).asciiLowercased
    }

    public func matches(_ name: String) -> Bool {
      let name = name.asciiLowercased
      return isPrefix ? name.utf8.starts(with: text.utf8) : name.utf8.elementsEqual(text.utf8)
    }
  }

  public var terms: [Term]
  /// As typed into a search; empty for none.
  public var words: String

  public init(terms: [Term] = [], words: String = "") {
    self.terms = terms
    self.words = words
  }

  /// Whether it lets everything through.
  public var isEmpty: Bool { terms.isEmpty && words.isEmpty }

  /// Whether every term holds for an item that belongs to `placement`. Words are the search's part.
  public func matches(_ item: UserNotification, in placement: Placement) -> Bool {
    condition.holds { $0.matches(item, in: placement) }
  }
}

extension String {
  /// With A to Z in lower case and everything else as it is, which is what SQLite's `lower` does.
  fileprivate var asciiLowercased: String {
    String(
      decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}
