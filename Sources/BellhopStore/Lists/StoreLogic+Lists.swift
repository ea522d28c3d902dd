internal import BellhopModel
internal import BellhopSearch
internal import Crypto

extension StoreLogic {
  /// Returns a page of a list.
  ///
  /// - Throws: ``StoreError/invalid(field:expectation:)`` for a page token that is not valid or
  ///   belongs to another list, ``StoreError/notSupported(what:)`` for a count that would examine
  ///   too much.
  package func list(
    _ request: ListRequest, for user: UserID, in state: any StoreReading
  ) throws -> ListPage {
    let search = try search(in: request)
    var start: (level: Priority?, place: ListPlace)?
    if let page = request.page {
      start = try place(of: page, in: request, for: user)
    } else if let below = request.below,
      request.order == OrderByClause(.created, isAscending: false)
    {
      start = (nil, .number(below))
    }
    var query = PageQuery(
      now: expiryNow, reader: request.reader, filter: request.filter, search: search,
      index: request.order.index, isAscending: request.order.isAscending, after: start?.place,
      limit: pageLimit(request.rows), scanMax: limits.listScanMax,
      textScanMax: limits.searchScanMax)
    if let filter = request.filter,
      filter.app(hasMovedItems: false) != filter.app(hasMovedItems: true)
    {
      query.hasMovedItems = try state.hasMovedItems(of: user)
    }
    let deadline = deadline(after: limits.listTimeMax)
    var page: ListPage
    if request.order.key == .priority {
      page = try levels(
        &query, from: start?.level, of: request, for: user, until: deadline, in: state)
    } else {
      let rows = try state.list(query, of: user, until: deadline)
      page = ListPage(
        items: try answered(rows.items, passing: query.filter, of: user, in: state),
        next: rows.place.map { token($0, in: request, for: user) },
        lastNumber: query.index == .number ? rows.place?.number : nil)
    }
    if request.isCounted {
      query.filter = request.filter
      page.count = try count(query, of: user, in: state)
    }
    return page
  }

  private func search(in request: ListRequest) throws -> SearchQuery? {
    guard let text = request.search else { return nil }
    let query = SearchQuery(text)
    guard !query.isEmpty else {
      throw StoreError.invalid(field: "$search", expectation: "at least one letter or digit")
    }
    guard request.order.key == .arrival else {
      throw StoreError.invalid(
        field: "$orderby", expectation: "arrivalDateTime, the only order of results of $search")
    }
    return query
  }

  /// Returns a page by level; within each level it is a list by arrival.
  private func levels(
    _ query: inout PageQuery, from first: Priority?, of request: ListRequest, for user: UserID,
    until deadline: WorkDeadline, in state: any StoreReading
  ) throws -> ListPage {
    let isAscending = request.order.isAscending
    var levels = Priority.allCases.sorted { isAscending ? $0 < $1 : $0 > $1 }
    if let first { levels.removeFirst(levels.firstIndex(of: first) ?? 0) }
    var items: [UserNotification] = []
    query.isAscending = false
    for (place, level) in levels.enumerated() {
      let hasRoom = query.limit.rows > 0 && query.limit.bytes > 0 && query.scanMax > 0
      guard hasRoom, place == 0 || !deadline.hasPassed else {
        let next = token(.arrival(.top), level: level, in: request, for: user)
        return ListPage(items: items, next: next)
      }
      query.filter = .both(
        .test(.compare(.priority, .equal, .priority(level))), request.filter)
      let rows = try state.list(query, of: user, until: deadline)
      items += try answered(rows.items, passing: query.filter, of: user, in: state)
      if let place = rows.place {
        let next = token(place, level: level, in: request, for: user)
        return ListPage(items: items, next: next)
      }
      query.after = nil
      query.limit.rows -= rows.items.count
      query.limit.bytes -= rows.items.byteCount
      query.scanMax -= rows.scanned
    }
    return ListPage(items: items, next: nil)
  }

  /// Returns items as answered, without those with a trigger that then do not pass the filter.
  private func answered(
    _ items: [UserNotification], passing filter: ItemFilter?, of user: UserID,
    in state: any StoreReading
  ) throws -> [UserNotification] {
    try items.compactMap { item in
      guard item.content.trigger != nil else { return item }
      let item = try asAnswered(item, of: user, in: state)
      return filter?.matches(item) ?? true ? item : nil
    }
  }

  private func count(
    _ query: PageQuery, of user: UserID, in state: any StoreReading
  ) throws -> Int {
    var query = query
    query.index = .arrival
    query.isAscending = false
    query.after = nil
    query.scanMax = limits.countScanMax
    query.textScanMax = limits.countScanMax / Self.textScanCost
    query.triggered = .leftOut
    let deadline = deadline(after: limits.countTimeMax)
    guard let count = try state.count(query, of: user, until: deadline) else {
      throw StoreError.notSupported(
        what: "narrow arrivalDateTime, or leave out $count: counting among more than "
          + "\(query.scanMax) items (\(query.textScanMax) while the search index is being built), "
          + "or for more than \(limits.countTimeMax.milliseconds) ms,")
    }
    guard query.filter != nil else { return count }
    let triggered = try state.triggeredItems(of: user).filter {
      !$0.hasExpired(at: query.now) && query.reader.receives($0.content) && query.finds($0)
    }
    return try count + answered(triggered, passing: query.filter, of: user, in: state).count
  }

  /// The cost of reading and splitting a text, as a multiple of examining a row.
  private static let textScanCost = 10

  // MARK: - Tokens

  func token(
    _ place: ListPlace, level: Priority? = nil, in request: ListRequest, for user: UserID
  ) -> PageToken {
    pageToken(
      .list(query: request.fingerprint, level: level, place: place), of: user)
  }

  func place(
    of token: PageToken, in request: ListRequest, for user: UserID
  ) throws -> (level: Priority?, place: ListPlace) {
    guard let content = identity.codec.decode(token.rawValue), content.user == user,
      case .list(let query, let level, let place) = content.position
    else {
      throw StoreError.invalid(
        field: "$skiptoken", expectation: "the token of an @odata.nextLink of this store")
    }
    guard query == request.fingerprint else {
      throw StoreError.invalid(
        field: "$skiptoken",
        expectation:
          "the token of this list; it belongs to a list with another $filter, $search or "
          + "$orderby")
    }
    return (level, place)
  }
}

extension ListPlace {
  fileprivate var number: Int64? {
    switch self {
    case .arrival: nil
    case .number(let number): number
    }
  }
}

extension OrderByClause {
  fileprivate var index: PageQuery.Index {
    switch key {
    case .arrival, .priority: .arrival
    case .created: .number
    case .changed: .sequence
    }
  }
}

extension ListRequest {
  /// A hash that distinguishes lists with different filters, searches or orders.
  fileprivate var fingerprint: Int64 {
    var hasher = SHA256()
    for part in [filter?.odata ?? "", search ?? "", order.description] {
      withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) {
        hasher.update(bufferPointer: $0)
      }
      hasher.update(data: Array(part.utf8))
    }
    return Int64(
      bitPattern: hasher.finalize().prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}

extension ArrivalKey {
  /// The key above every item.
  fileprivate static let top = last(at: Timestamp(milliseconds: .max))

  /// Returns the key above every item that has arrived by `time`.
  static func last(at time: Timestamp) -> ArrivalKey {
    ArrivalKey(arrival: time, id: NotificationID(high: .max, low: .max))
  }
}
