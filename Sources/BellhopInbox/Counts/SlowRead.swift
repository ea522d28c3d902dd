public import BellhopModel

/// A question to the cache that may take its time, or the end of one.
public enum SlowRead: Hashable, Sendable {
  /// Count what a selection is, then say ``Message/measured(serial:_:)``.
  case measure(Selection, serial: Int)
  /// Count what arrived on some days, of one account or of all, then say
  /// ``Message/daysCounted(serial:_:)``.
  case countDays([DaySpan], serial: Int, of: AccountName?)
  /// Count what the lists of saved views have, of one account or of all, then say
  /// ``Message/viewsCounted(serial:_:)``. Nil for a view without a meaning.
  case countViews([ListQuery?], serial: Int, of: AccountName?)
  /// The results of a running search are no longer wanted.
  case cancelSearch
  /// The items of a list that pass its filter are no longer wanted.
  case cancelNarrowed(ListQuery)
}
