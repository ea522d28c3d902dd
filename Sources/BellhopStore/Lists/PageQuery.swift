package import BellhopModel
package import BellhopSearch

/// A client's request for a page of a list.
package struct ListRequest: Hashable, Sendable {
  package var filter: ItemFilter?
  /// The text to search for, in the syntax of the client's search: `SearchQuery`. Title,
  /// subtitle, body, app, group and tags are searched.
  package var search: String?
  /// The order of the list. A search supports only the order by arrival.
  package var order: OrderByClause
  /// The page to return; its token must come from the same filter, search and order.
  package var page: PageToken?
  /// The short number below which the first page begins, for a list by creation, newest first.
  ///
  /// Unlike with a filter, the items above it are not examined.
  package var below: Int64?
  /// The maximum number of items, also bounded by the store's limits.
  package var rows: Int
  /// Whether to count the items on all pages.
  package var isCounted: Bool
  /// The environment of the reader; only items that reach it are listed and counted.
  package var reader: RegistrationEnvironment

  package init(
    filter: ItemFilter? = nil, search: String? = nil, order: OrderByClause = .newestFirst,
    page: PageToken? = nil, below: Int64? = nil, rows: Int, isCounted: Bool = false,
    reader: RegistrationEnvironment = .production
  ) {
    self.filter = filter
    self.search = search
    self.order = order
    self.page = page
    self.below = below
    self.rows = rows
    self.isCounted = isCounted
    self.reader = reader
  }
}

/// A page of a list.
///
/// The cost of a page is bounded: without a filter by its items, with one by
/// ``StoreLimits/listScanMax`` examined items, and always by ``StoreLimits/listTimeMax``. A filter
/// that names one app examines only that app's items, unless rules moved items between apps. A page
/// that reaches a bound ends early, possibly empty, and the next one continues after it; each page
/// advances by at least one item.
///
/// A search examines the items that the index finds, with the same bounds. It examines the texts
/// themselves only while the index is far behind, as after an update of an older store, or when the
/// index takes half of ``StoreLimits/listTimeMax`` to find a first item. Then a page examines at
/// most ``StoreLimits/searchScanMax`` texts.
package struct ListPage: Hashable, Sendable {
  package var items: [UserNotification]
  /// The next page; nil on the last one.
  package var next: PageToken?
  /// The number of items on all pages, if requested.
  package var count: Int?
  /// The short number of the last examined item in a list by creation. It is nil on the last page
  /// and in any other list.
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

/// Read access to lists of items.
package protocol ListReading {
  /// Returns the next live items of a list, in its order.
  ///
  /// It examines rows in the order of an index: at most `scanMax` rows, and after the deadline none
  /// but the first. So a slow filter, or one that matches few items, does not occupy a reader for
  /// long.
  func list(_ query: PageQuery, of user: UserID, until deadline: WorkDeadline) throws -> ListRows
  /// Whether rules list any of the user's live items under another app; see
  /// ``PageQuery/hasMovedItems``.
  func hasMovedItems(of user: UserID) throws -> Bool
  /// Returns how many live items match the query, regardless of its place and limit.
  ///
  /// It returns nil if it would have to examine more than `scanMax` items or the texts of more than
  /// `textScanMax`, or would exceed the deadline. Without a filter and a search no item is
  /// examined: an index is counted, less the items that do not reach the reader.
  func count(_ query: PageQuery, of user: UserID, until deadline: WorkDeadline) throws -> Int?
}

/// A query for the live items of a list, with the limits of its search.
package struct PageQuery: Hashable, Sendable {
  /// The index along which the list is read.
  package enum Index: Hashable, Sendable {
    /// (arrival, id); limited to one app if the filter names one, however rare it is.
    case arrival
    /// The short number.
    case number
    /// The sequence.
    case sequence
  }

  /// The treatment of items with a trigger by a query with a filter.
  package enum Triggered: Hashable, Sendable {
    /// They pass without the filter; the caller applies it.
    case passUnfiltered
    case leftOut
  }

  /// The time of the read. Items that leave the store by then are skipped, swept or not.
  package var now: Timestamp
  /// The environment of the reader; only items that reach it are found.
  package var reader: RegistrationEnvironment
  package var filter: ItemFilter?
  /// Whether rules list items under an app that is not their publisher's.
  ///
  /// Then a filter by app has items of all apps, and examines them.
  package var hasMovedItems = false
  /// The treatment of items with a trigger, whose registers change their meaning with time.
  package var triggered = Triggered.passUnfiltered
  /// The search; not empty, and only with the index by arrival.
  package var search: SearchQuery?
  package var index: Index
  package var isAscending: Bool
  /// The place after which the list continues, in its order; its case matches the index.
  package var after: ListPlace?
  package var limit: PageLimit
  package var scanMax: Int
  /// The maximum number of examined rows whose text must be read.
  package var textScanMax: Int

  package init(
    now: Timestamp, reader: RegistrationEnvironment = .production, filter: ItemFilter? = nil,
    search: SearchQuery? = nil, index: Index = .arrival, isAscending: Bool = false,
    after: ListPlace? = nil, limit: PageLimit, scanMax: Int, textScanMax: Int
  ) {
    self.now = now
    self.reader = reader
    self.filter = filter
    self.search = search
    self.index = index
    self.isAscending = isAscending
    self.after = after
    self.limit = limit
    self.scanMax = scanMax
    self.textScanMax = textScanMax
  }

  /// The publishing app whose items alone are examined; nil for all.
  package var app: String? {
    index == .arrival ? filter?.app(hasMovedItems: hasMovedItems) : nil
  }

  /// Whether the search matches an item that is live and meets the filter.
  package func finds(_ item: UserNotification) -> Bool {
    search?.matches(SearchText(item.content).fields) ?? true
  }
}

/// A place in a list.
package enum ListPlace: Hashable, Sendable {
  case arrival(ArrivalKey)
  /// A short number or a sequence.
  case number(Int64)
}

/// The items of a list and the place where it continues.
package struct ListRows: Hashable, Sendable {
  package var items: [UserNotification]
  /// The last examined row; nil if no row follows it.
  package var place: ListPlace?
  /// The number of examined rows.
  package var scanned: Int

  package init(items: [UserNotification], place: ListPlace?, scanned: Int) {
    self.items = items
    self.place = place
    self.scanned = scanned
  }
}

/// A collector that fills a page with the rows that a backend examines one after another. With it,
/// all backends end their pages at the same places.
package struct ListFill {
  private var page: PageFill
  private let scanMax: Int
  private let deadline: WorkDeadline
  private var items: [UserNotification] = []
  private var place: ListPlace?
  private var scanned = 0

  /// - Parameters:
  ///   - scanMax: the maximum number of examined rows.
  ///   - deadline: the end of the examination. One row is always examined, so that each page
  ///     advances.
  package init(_ limit: PageLimit, scanMax: Int, until deadline: WorkDeadline) {
    page = PageFill(limit)
    self.scanMax = scanMax
    self.deadline = deadline
  }

  /// Whether no further row may be examined. Check it only when another row exists.
  package var isFull: Bool {
    page.isFull || scanned >= scanMax || scanned > 0 && deadline.hasPassed
  }

  /// Counts an examined row, and adds its item if it belongs to the list.
  package mutating func noteExamined(_ place: ListPlace, _ item: UserNotification?) {
    scanned += 1
    self.place = place
    guard let item else { return }
    items.append(item)
    page.add(item.byteCount)
  }

  /// Returns the collected rows.
  ///
  /// - Parameter isLast: whether there were no more rows.
  package func rows(isLast: Bool) -> ListRows {
    ListRows(items: items, place: isLast ? nil : place, scanned: scanned)
  }
}
