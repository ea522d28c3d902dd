package import BellhopModel

extension StoreLogic {
  /// Registers a category of an app, or replaces it. Items that name it have its actions at once.
  ///
  /// - Parameters:
  ///   - name: the app, or one of its aliases. It need not have published yet.
  ///   - appsMax: the number of apps above which no new one is created; nil for the user's own limit.
  /// - Returns: the category with its revisions, whether it is new, and the user's sequence. Nothing
  ///   changes, and the sequence stays the same, if the category is stored already.
  /// - Throws: ``StoreError/invalid(field:expectation:)`` for a rule that it breaks,
  ///   ``StoreError/quotaReached(what:)``.
  package func register(
    _ category: Category, ofApp name: String, appsMax: Int?, for user: UserID,
    in transaction: any StoreTransaction
  ) throws -> (category: Category, isNew: Bool, sequence: SequenceNumber) {
    guard ContentRules.isAppName(name) else {
      throw StoreError.invalid(
        field: "targetHostName", expectation: "a domain or topic, such as ci.example.com")
    }
    try ContentRules(
      limits: limits, now: now, expiryNow: expiryNow, wallClock: environment.wallClock
    ).check(category)
    let (state, isKnown) = try categoryOwner(named: name, of: user, in: transaction)
    var settings = state.settings
    var ledger = try CounterUpdates(user, in: transaction)
    if !isKnown {
      try checkRoom(forApp: settings.app, appsMax: appsMax, ledger: &ledger, in: transaction)
    }
    let old = settings.categories.first { $0.id == category.id }
    settings.categories.removeAll { $0.id == category.id }
    guard settings.categories.count < limits.categoriesMax else {
      throw StoreError.quotaReached(what: "\(limits.categoriesMax) categories of an app")
    }
    let sequence = ledger.counters.sequence.next
    let revised = category.revised(from: old, at: sequence)
    guard revised != old else { return (revised, false, ledger.counters.sequence) }
    settings.categories.append(revised)
    settings.categories.sort { $0.id < $1.id }
    try checkCategoryBytes(of: settings, user: user, in: transaction)
    try store(&settings, ledger: &ledger, in: transaction)
    try ledger.close(in: transaction)
    return (revised, old == nil, settings.sequence)
  }

  /// Removes a category of an app. Items that name it keep their own actions.
  ///
  /// - Returns: the user's sequence afterwards; nil if the app has no category with this id.
  package func removeCategory(
    _ id: String, ofApp name: String, for user: UserID, in transaction: any StoreTransaction
  ) throws -> SequenceNumber? {
    var settings = try categoryOwner(named: name, of: user, in: transaction).state.settings
    guard settings.categories.contains(where: { $0.id == id }) else { return nil }
    settings.categories.removeAll { $0.id == id }
    var ledger = try CounterUpdates(user, in: transaction)
    try store(&settings, ledger: &ledger, in: transaction)
    try ledger.close(in: transaction)
    return settings.sequence
  }

  /// Returns the categories of an app, by id; none for an app that is not known.
  package func categories(
    ofApp name: String, for user: UserID, in state: any StoreReading
  ) throws -> [Category] {
    try categoryOwner(named: name, of: user, in: state).state.settings.categories
  }

  /// Returns the category of an item as it is now.
  func category(
    of item: UserNotification, for user: UserID, in state: any StoreReading
  ) throws -> Category? {
    guard item.content.extras.category != nil else { return nil }
    return try state.appState(item.content.app, of: user)?.settings.category(of: item)
  }

  /// Checks that an app has registered the category that its item names.
  func checkCategory(of content: Content, for user: UserID, in state: any StoreReading) throws {
    guard let id = content.extras.category else { return }
    let known = try state.appState(content.app, of: user)?.settings.categories ?? []
    guard known.contains(where: { $0.id == id }) else {
      throw StoreError.invalid(
        field: "category",
        expectation: known.isEmpty
          ? "none: the app has not registered a category (PUT "
            + "/v1.0/me/apps/\(content.app)/categories/…)"
          : "a category that the app has registered, such as \(known[0].id)")
    }
  }

  /// Returns the app that publications under a name reach, and whether the store knows it.
  private func categoryOwner(
    named name: String, of user: UserID, in state: any StoreReading
  ) throws -> (state: AppState, isKnown: Bool) {
    let app = try self.app(named: name, of: user, in: state)
    if let known = try state.appState(app, of: user) { return (known, true) }
    let settings = try authorization(ofApp: app, for: user, in: state)
    return (AppState(settings: settings, use: StorageUse()), false)
  }

  /// Checks the size of all categories of the user, which devices receive together.
  private func checkCategoryBytes(
    of settings: AppSettings, user: UserID, in state: any StoreReading
  ) throws {
    let others = try state.appStates(of: user).filter { $0.settings.app != settings.app }
    let bytes = others.reduce(settings.categoryByteCount) { $0 + $1.settings.categoryByteCount }
    guard bytes <= limits.categoriesBytesMax else {
      throw StoreError.quotaReached(what: "\(limits.categoriesBytesMax) bytes of categories")
    }
  }
}

extension ContentRules {
  /// Checks a category; each of its actions must be complete and executable.
  func check(_ category: Category) throws {
    try checkName(category.id, "id")
    for option in category.options {
      guard Category.Option(rawValue: option) != nil else {
        throw StoreError.invalid(
          field: "options",
          expectation: Category.Option.allCases.map(\.rawValue).joined(separator: ", "))
      }
    }
    try checkName(category.hiddenPreviewsBodyPlaceholder, "hiddenPreviewsBodyPlaceholder")
    try check(category.actions)
    guard category.byteCount <= limits.categoryBytesMax else {
      throw StoreError.invalid(
        field: "body", expectation: "a category of at most \(limits.categoryBytesMax) bytes")
    }
  }
}

extension Category {
  /// The size of all text of the category, in bytes of UTF-8.
  var byteCount: Int {
    var count = id.utf8.count + (hiddenPreviewsBodyPlaceholder ?? "").utf8.count
    for option in options { count += option.utf8.count }
    for action in actions {
      action.eachText { count += $0.utf8.count }
      for name in (action.headers ?? [:]).keys { count += name.utf8.count }
    }
    return count
  }
}

extension AppSettings {
  /// The size of all text of the app's categories, in bytes of UTF-8.
  var categoryByteCount: Int { categories.reduce(0) { $0 + $1.byteCount } }
}
