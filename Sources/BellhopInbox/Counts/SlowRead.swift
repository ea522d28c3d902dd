package import BellhopModel

/// A cache query that may take long, or the end of one.
package enum SlowRead: Hashable, Sendable {
  /// Counts the items of a selection; answered by ``SlowAnswer/extent(serial:_:)``.
  case measure(Selection, serial: Int)
  /// Counts the arrivals on some days, of one account or of all.
  ///
  /// If a list is given, also counts how many of them it contains. Answered by
  /// ``SlowAnswer/days(serial:_:)``.
  case countDays([DaySpan], in: ListQuery?, serial: Int, of: AccountName?)
  /// Counts the lists of saved views, of one account or of all; nil for a view with an invalid
  /// filter.
  ///
  /// Answered by ``SlowAnswer/views(serial:_:)``.
  case countViews([ListQuery?], serial: Int, of: AccountName?)
  /// Counts a list; answered by ``SlowAnswer/list(serial:_:)``, once or twice.
  case countList(ListCountOrder)
  /// Finds a text similar to one without results, in one account or in all.
  ///
  /// Answered by ``SlowAnswer/suggestion(for:_:)``.
  case suggest(for: String, serial: Int, of: AccountName?)
  /// Cancels a running search, whose results are no longer needed.
  case cancelSearch
  /// Cancels the reading of a filtered list, whose items are no longer needed.
  case cancelNarrowed(ListQuery)
}

/// The answer to a ``SlowRead``.
package enum SlowAnswer: Sendable {
  case extent(serial: Int, SelectionExtent)
  case list(serial: Int, ListCount)
  /// The suggestion for a text; nil if there is none.
  case suggestion(for: String, SearchSuggestion?)
  /// The days, as far as they could be counted.
  case days(serial: Int, [DayCount])
  /// The count of each view; nil if there is none.
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
