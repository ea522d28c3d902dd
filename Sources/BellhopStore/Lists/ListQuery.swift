package import BellhopModel
package import BellhopSearch

/// What a client asks of a list.
package struct ListRequest: Hashable, Sendable {
  package var filter: ItemFilter?
  /// What to look for in title, subtitle, body, app, group and tags, in the language that the
  /// client's search has: ``SearchQuery``.
  package var search: String?
  /// With a search, by arrival only.
  package var order: ListOrder
  /// Where to go on; of a page with the same filter, search and order.
  package var page: PageToken?
  /// The short number below which the first page begins: for a list by creation, newest first. What
  /// is above it is not looked at, as it would be with a filter.
  package var below: Int64?
  /// At most this many items, and never more than the limits allow.
  package var rows: Int
  /// Whether to count all that there are, on all pages.
  package var isCounted: Bool

  package init(
    filter: ItemFilter? = nil, search: String? = nil, order: ListOrder = .newestFirst,
    page: PageToken? = nil, below: Int64? = nil, rows: Int, isCounted: Bool = false
  ) {
    self.filter = filter
    self.search = search
    self.order = order
    self.page = page
    self.below = below
    self.rows = rows
    self.isCounted = isCounted
  }
}

/// A page of a list.
///
/// What a page costs is bounded: without a filter by its items, with one by
/// ``StoreLimits/listScanMax`` items looked at, of one app alone if it names one, and always by
/// ``StoreLimits/listTimeMax``. A page that looked at so many, or took so long, ends early, maybe
/// empty, and the next one goes on behind them; each page gets at least one item further. A search
/// looks at what the index finds, and at no more of that either; only while the index is far
/// behind, as after an update of an older store, or takes half of ``StoreLimits/listTimeMax`` to find
/// a first item, it looks into the texts themselves, at ``StoreLimits/searchScanMax`` of them for a
/// page.
package struct ListPage: Hashable, Sendable {
  package var items: [UserNotification]
  /// The next page; nil on the last one.
  package var next: PageToken?
  /// How many items there are on all pages, if it was asked.
  package var count: Int?
  /// In a list by creation, the short number of the last item that was looked at; nil on the last
  /// page, and in any other list.
  package var lastNumber: Int64?

  package init(
    items: [UserNotification], next: PageToken?, count: Int? = nil, lastNumber: Int64? = nil
  ) {
    self.items = items
    self.next = next
    self.count = count
    self.lastNumber = lastNumber
  }
}

/// The finding of items for lists.
package protocol ListReading {
  /// The next live items of a list, in its order.
  ///
  /// It looks at rows in the order of an index, at most `scanMax` of them and none after the
  /// deadline but the first, so that a filter that few items meet, or a slow one, does not hold a
  /// reader for long.
  func list(_ query: ListQuery, of user: UserID, until deadline: WorkDeadline) throws -> ListRows
  /// How many live items meet the query, whatever its place and limit; nil when more than
  /// `scanMax`, or the texts of more than `textScanMax`, would have to be looked at, or it would
  /// take longer than until the deadline. Without a filter and a search no item is looked at: an
  /// index is counted.
  func count(_ query: ListQuery, of user: UserID, until deadline: WorkDeadline) throws -> Int?
}

/// Which live items to list, and how far to look.
package struct ListQuery: Hashable, Sendable {
  /// What the list is walked along.
  package enum Index: Hashable, Sendable {
    /// (arrival, id); of one app alone when the filter names one, however rare it is.
    case arrival
    /// short number
    case number
    /// sequence
    case sequence
  }

  /// Items that have left by this instant are passed over, swept or not.
  package var now: Timestamp
  package var filter: ItemFilter?
  /// Not empty, and with the index by arrival only.
  package var search: SearchQuery?
  package var index: Index
  package var isAscending: Bool
  /// Only what stands behind this place, in the order of the list; its case is that of the index.
  package var after: ListPlace?
  package var limit: PageLimit
  package var scanMax: Int
  /// How many rows may be looked at whose text has to be read.
  package var textScanMax: Int

  package init(
    now: Timestamp, filter: ItemFilter? = nil, search: SearchQuery? = nil, index: Index = .arrival,
    isAscending: Bool = false, after: ListPlace? = nil, limit: PageLimit, scanMax: Int,
    textScanMax: Int
  ) {
    self.now = now
    self.filter = filter
    self.search = search
    self.index = index
    self.isAscending = isAscending
    self.after = after
    self.limit = limit
    self.scanMax = scanMax
    self.textScanMax = textScanMax
  }

  /// The app whose items alone are walked along; nil for all.
  package var app: String? { index == .arrival ? filter?.app : nil }

  /// Whether an item that is live and meets the filter has what is looked for.
  package func finds(_ item: UserNotification) -> Bool {
    search?.matches(SearchText(item.content).fields) ?? true
  }
}

/// A place in a list.
package enum ListPlace: Hashable, Sendable {
  case arrival(ArrivalKey)
  /// A short number, or a sequence.
  case number(Int64)
}

/// Items of a list, and where it goes on.
package struct ListRows: Hashable, Sendable {
  package var items: [UserNotification]
  /// The last row that was looked at; nil when there is none behind it.
  package var place: ListPlace?
  /// How many rows were looked at.
  package var scanned: Int

  package init(items: [UserNotification], place: ListPlace?, scanned: Int) {
    self.items = items
    self.place = place
    self.scanned = scanned
  }
}

/// Fills a page with the rows that a backend looks at one after another, so that all backends end
/// their pages at the same places.
package struct ListFill {
  private var page: PageFill
  private let scanMax: Int
  private let deadline: WorkDeadline
  private var items: [UserNotification] = []
  private var place: ListPlace?
  private var scanned = 0

  /// - Parameters:
  ///   - scanMax: how many rows may be looked at.
  ///   - deadline: until when; one row is looked at in any case, so that each page gets further.
  package init(_ limit: PageLimit, scanMax: Int, until deadline: WorkDeadline) {
    page = PageFill(limit)
    self.scanMax = scanMax
    self.deadline = deadline
  }

  /// Whether no further row may be looked at. To be asked when one more is there.
  package var isFull: Bool {
    page.isFull || scanned >= scanMax || scanned > 0 && deadline.hasPassed
  }

  /// Counts a row that was looked at, and takes its item if it belongs to the list.
  package mutating func look(at place: ListPlace, _ item: UserNotification?) {
    scanned += 1
    self.place = place
    guard let item else { return }
    items.append(item)
    page.add(item.byteCount)
  }

  /// What was found.
  ///
  /// - Parameter isLast: whether there were no more rows.
  package func rows(isLast: Bool) -> ListRows {
    ListRows(items: items, place: isLast ? nil : place, scanned: scanned)
  }
}
