package import BellhopModel

/// A question to the cache that may take its time, or the end of one.
package enum SlowRead: Hashable, Sendable {
  /// Count what a selection is, then say ``SlowAnswer/extent(serial:_:)``.
  case measure(Selection, serial: Int)
  /// Count what arrived on some days, of one account or of all, and how much of it a list has, if
  /// one is named; then say ``SlowAnswer/days(serial:_:)``.
  case countDays([DaySpan], in: ListQuery?, serial: Int, of: AccountName?)
  /// Count what the lists of saved views have, of one account or of all, then say
  /// ``SlowAnswer/views(serial:_:)``. Nil for a view without a meaning.
  case countViews([ListQuery?], serial: Int, of: AccountName?)
  /// Count what a list has, then say ``SlowAnswer/list(serial:_:)``, once or twice.
  case countList(ListCountOrder)
  /// Find a text near to one that finds nothing, in one account or in all, then say
  /// ``SlowAnswer/suggestion(for:_:)``.
  case suggest(for: String, serial: Int, of: AccountName?)
  /// The results of a running search are no longer wanted.
  case cancelSearch
  /// The items of a list that pass its filter are no longer wanted.
  case cancelNarrowed(ListQuery)
}

/// The answer to a ``SlowRead``.
package enum SlowAnswer: Sendable {
  case extent(serial: Int, SelectionExtent)
  case list(serial: Int, ListCount)
  /// Nil where there is none.
  case suggestion(for: String, SearchSuggestion?)
  /// The days as far as they could be counted.
  case days(serial: Int, [DayCount])
  /// A number for each view, or none.
  case views(serial: Int, [Int?])
}

extension InboxState {
  mutating func take(_ answer: SlowAnswer) {
    switch answer {
    case .extent(let serial, let extent): accept(extent, serial: serial)
    case .list(let serial, let count): accept(count, serial: serial)
    case .suggestion(let text, let suggestion): accept(suggestion, for: text)
    case .days(let serial, let counts): days.accept(counts, serial: serial)
    case .views(let serial, let counts): views.accept(counts, serial: serial)
    }
  }
}
