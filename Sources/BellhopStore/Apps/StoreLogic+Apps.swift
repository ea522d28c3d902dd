package import BellhopModel

extension StoreLogic {
  /// Changes the settings of an app, found by its name or one of its aliases. The app need not have
  /// published yet.
  ///
  /// A change of the retention takes effect in the background; see ``StoreLogic/retain(_:in:)``.
  ///
  /// - Parameters:
  ///   - profile: additional details to store; values that it omits stay.
  ///   - match: sequences of which the settings must still have one (`If-Match`); nil for any.
  /// - Returns: the app after the change, with its sequence unchanged if all values are the same.
  /// - Throws: ``StoreError/invalid(field:expectation:)``, ``StoreError/alreadyExists(what:)`` for
  ///   an alias of another app, ``StoreError/modified(current:)``,
  ///   ``StoreError/quotaReached(what:)`` for one app too many.
  package func configure(
    _ name: String, _ change: AppSettingsChange, profile: AppProfile = AppProfile(),
    ifMatch match: Set<SequenceNumber>? = nil, for user: UserID,
    in transaction: any StoreTransaction
  ) throws -> AppState {
    try appRules.check(profile)
    var ledger = try CounterUpdates(user, in: transaction)
    let state = try configure(
      name, change, by: nil, ifMatch: match, ledger: &ledger, in: transaction)
    try ledger.close(in: transaction)
    let app = state.settings.app
    // The profile of an app without a record would stay forever.
    if !profile.isEmpty, try transaction.app(app, of: user) != nil {
      let known = try transaction.profile(ofApp: app, of: user) ?? AppProfile()
      try transaction.put(known.changed(by: profile), ofApp: app, of: user)
    }
    return state
  }

  /// Changes an app's settings by an operation from a device's outbox.
  ///
  /// The operation may have been made long ago: a mute that has ended meanwhile counts as no mute.
  /// If a rule refuses the change, the result contains the reason.
  func configure(
    _ name: String, by operation: Operation, of device: DeviceID?,
    ledger: inout CounterUpdates, at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> OperationResult {
    guard case .configure(var change) = operation.mutation else { return .gone }
    if let end = change.mute?.end, end <= expiryNow { change.mute = .off }
    var result = OperationResult.applied
    do {
      _ = try configure(
        name, change, by: device, ifMatch: nil, ledger: &ledger, in: transaction)
    } catch let error as StoreError {
      guard let fault = AppSettingsError(error) else { throw error }
      result = .unacceptable(fault)
    }
    try transaction.insert(
      OperationRecord(id: operation.id, result: result, at: now), of: ledger.user)
    return result
  }

  private var appRules: AppRules {
    AppRules(limits: limits, now: now, wallClock: environment.wallClock)
  }

  /// Changes an app's settings. Every check precedes the first write.
  private func configure(
    _ name: String, _ change: AppSettingsChange, by device: DeviceID?,
    ifMatch match: Set<SequenceNumber>?, ledger: inout CounterUpdates,
    in transaction: any StoreTransaction
  ) throws -> AppState {
    let user = ledger.user
    guard ContentRules.isAppName(name) || name == AppSettings.everyApp else {
      throw StoreError.invalid(
        field: "targetHostName",
        expectation: "a domain or topic of letters, digits, '-', '_' and single dots, "
          + "at most 253 bytes")
    }
    let state =
      try knownApp(named: name, of: user, in: transaction)
      ?? AppState(settings: AppSettings(app: name), use: StorageUse())
    let app = state.settings.app
    if let match, !match.contains(state.settings.sequence) {
      throw StoreError.modified(current: state.settings.sequence)
    }
    guard app != AppSettings.everyApp || change.fitsEveryApp else {
      throw StoreError.invalid(
        field: "targetHostName",
        expectation: "an app; for all apps (\(AppSettings.everyApp)) only mute, quietHours, "
          + "timeZone, places, and an authorization other than denied")
    }
    var known = state.settings
    known.places = try withoutUnknownDevices(known.places, of: user, in: transaction)
    let reporter = device.map { (device: $0, time: now) }
    var settings = change.applied(to: known, by: reporter)
    try appRules.check(change, giving: settings, replacing: state.settings, by: device)
    try check(aliases: settings.aliases, of: app, user: user, in: transaction)
    // Naming a permission of an app that was never configured is a decision, whatever its value: it
    // holds for an app that has not published yet.
    let isDecision = state.settings.sequence == .zero && change.namesPermission
    guard settings != state.settings || isDecision else { return state }
    try checkRoom(forApp: app, ledger: &ledger, in: transaction)
    try store(&settings, ledger: &ledger, in: transaction)
    let crossings = change.places?.applied(to: known.places, by: reporter).crossings ?? [:]
    for (crossing, time) in crossings.sorted(by: { $0.value < $1.value }) {
      try deliver(crossing, at: time, ledger: &ledger, in: transaction)
    }
    if settings.retentionDays != state.settings.retentionDays {
      try transaction.put(RetentionPass(user: user, app: app))
    }
    return AppState(settings: settings, use: state.use)
  }

  /// Stores changed settings under the next sequence.
  func store(
    _ settings: inout AppSettings, ledger: inout CounterUpdates,
    in transaction: any StoreTransaction
  ) throws {
    settings.sequence = try ledger.nextSequence(identity.start, at: now, in: transaction)
    try transaction.put(settings, of: ledger.user)
    try ledger.configure(settings, in: transaction)
  }

  private func check(
    aliases: [String], of app: String, user: UserID, in state: any StoreReading
  ) throws {
    for alias in aliases {
      if let owner = try state.app(alias: alias, of: user), owner != app {
        throw StoreError.alreadyExists(what: "an alias of another app with this name")
      }
    }
  }

  /// Returns the app that receives a publication for `name`: the one with this alias, or `name`
  /// itself.
  package func app(named name: String, of user: UserID, in state: any StoreReading) throws -> String
  {
    try state.app(alias: name, of: user) ?? name
  }

  /// Returns an app by its name or one of its aliases.
  ///
  /// A name takes precedence: publications no longer reach that app once its name is also an alias,
  /// but its settings can still be changed.
  ///
  /// - Throws: ``StoreError/notFound(what:)`` for an app that neither published nor was configured.
  package func appState(
    named name: String, of user: UserID, in state: any StoreReading
  ) throws -> AppState {
    guard let found = try knownApp(named: name, of: user, in: state) else {
      throw StoreError.notFound(what: "app")
    }
    return found
  }

  private func knownApp(
    named name: String, of user: UserID, in state: any StoreReading
  ) throws -> AppState? {
    if let found = try state.appState(name, of: user) { return found }
    return try state.app(alias: name, of: user).flatMap { try state.appState($0, of: user) }
  }

  // MARK: - Retention

  /// Performs one step of a pass over an app's items after its retention changed.
  ///
  /// For at most ``StoreLimits/sweepItemsMax`` items it recomputes when they leave the store. The
  /// step and its progress are one transaction, so that a crash loses nothing. Items stored
  /// meanwhile get the new time anyway.
  ///
  /// - Parameter found: the pass as it was found by a read. The step continues it as it is now:
  ///   another process may have continued it, or another change of the retention begun it again.
  package func retain(_ found: RetentionPass, in transaction: any StoreTransaction) throws {
    guard var pass = try transaction.retentionPass(ofApp: found.app, of: found.user),
      let record = try transaction.app(pass.app, of: pass.user)
    else { return }
    let items = try transaction.items(
      ofApp: pass.app, above: pass.above, limit: limits.sweepItemsMax, of: pass.user)
    for item in items {
      let clock = try wallClock(for: item.content, of: pass.user, in: transaction)
      try transaction.setLeaves(
        leavingTime(of: item, in: record, on: clock), of: item.id, user: pass.user)
    }
    guard items.count == limits.sweepItemsMax, let last = items.last else {
      return try transaction.endRetentionPass(ofApp: pass.app, of: pass.user)
    }
    pass.above = ArrivalKey(last)
    try transaction.put(pass)
  }

  /// Begins passes when the store's default retention differs from that of the last start.
  static func noteRetention(
    of limits: StoreLimits, in transaction: any StoreTransaction
  ) throws {
    let now = Array(String(limits.retention.milliseconds).utf8)
    let before = try transaction.metadata(.retention)
    guard now != before else { return }
    if before != nil { try transaction.beginRetentionPasses() }
    try transaction.setMetadata(now, for: .retention)
  }
}

extension AppSettingsError {
  /// Translates a refusal of settings; nil for an error that is not a refusal.
  fileprivate init?(_ error: StoreError) {
    switch error {
    case .invalid: self = .invalid
    case .alreadyExists: self = .aliasTaken
    case .quotaReached: self = .tooManyApps
    case .unauthenticated, .revoked, .accessDenied, .notFound, .modified, .idempotencyConflict,
      .resyncRequired, .outboxGap, .outboxDiverged, .notSupported, .busy, .tooManyStreams,
      .tooManyLists, .tooManySubscriptions, .tooManyRequests, .storageFull, .newerSchema,
      .moved, .unfinishedCopy, .inUse, .outcomeUnknown, .unavailable:
      return nil
    }
  }
}

/// The rules for the settings of an app. Each refusal names the field and the accepted values.
struct AppRules {
  let limits: StoreLimits
  let now: Timestamp
  /// The time zones that the store knows.
  let wallClock: WallClock

  /// Whether the text can be an ntfy topic: at most 64 letters, digits, `-` and `_`.
  static func isTopic(_ text: String) -> Bool {
    text.utf8.count <= 64 && !text.utf8.contains(UInt8(ascii: ".")) && ContentRules.isAppName(text)
  }

  /// Whether the text has the form of a time zone's name, as in `America/Argentina/Buenos_Aires`.
  ///
  /// It consists of parts with letters, digits and `_+-`. Only devices know which zones exist:
  /// their time zone data may be newer than the store's.
  static func isTimeZone(_ text: String) -> Bool {
    guard (1...64).contains(text.utf8.count), text.utf8.first.map(isLetter) == true else {
      return false
    }
    return text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .allSatisfy { part in
        !part.isEmpty
          && part.allSatisfy { byte in
            isLetter(byte) || (0x30...0x39).contains(byte) || "_+-".utf8.contains(byte)
          }
      }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
  }

  /// Throws ``StoreError/invalid(field:expectation:)`` for the first broken rule.
  ///
  /// - Parameters:
  ///   - settings: the settings after the change.
  ///   - known: the current settings. Their display name may be kept, even if an earlier version
  ///     accepted a name that is now refused.
  ///   - device: the device that makes the change; nil for other clients.
  func check(
    _ change: AppSettingsChange, giving settings: AppSettings, replacing known: AppSettings,
    by device: DeviceID?
  ) throws {
    if let name = change.displayName?.value {
      guard !name.allSatisfy(\.isWhitespace), name.utf8.count <= limits.nameBytesMax else {
        throw StoreError.invalid(
          field: "displayName",
          expectation: "1 to \(limits.nameBytesMax) bytes, not only blanks, or null")
      }
      if name != known.displayName { try ContentRules.checkListedName(name, "displayName") }
    }
    if let aliases = change.aliases { try check(aliases, of: settings.app) }
    if let end = change.mute?.end {
      guard end > now, end <= Timestamp.distantFuture else {
        throw StoreError.invalid(
          field: "mutedUntilDateTime", expectation: "a time after now, \(now)")
      }
    }
    if let hours = change.quietHours?.value { try check(hours) }
    if let zone = change.timeZone { try check(zone: zone.value, of: settings) }
    if let places = change.places { try check(places: places, giving: settings, by: device) }
    if let days = change.retentionDays?.value {
      guard (1...limits.retentionDaysMax).contains(days) else {
        throw StoreError.invalid(
          field: "retentionDays", expectation: "1 to \(limits.retentionDaysMax) days, or null")
      }
    }
  }

  /// Checks the zone of triggers without one, which the store must know.
  private func check(zone: String?, of settings: AppSettings) throws {
    guard settings.areOfEveryApp else {
      throw StoreError.invalid(
        field: "timeZone", expectation: "this member only for all apps (\(AppSettings.everyApp))")
    }
    guard let zone else { return }
    guard Self.isTimeZone(zone), wallClock.offsetSeconds(now, zone) != nil else {
      throw StoreError.invalid(
        field: "timeZone",
        expectation: "the name of a time zone that the store knows, such as Europe/Berlin, or null")
    }
  }

  func check(_ profile: AppProfile) throws {
    guard let text = profile.description else { return }
    guard text.utf8.count <= AppProfile.descriptionBytesMax else {
      throw StoreError.invalid(
        field: "description", expectation: "at most \(AppProfile.descriptionBytesMax) bytes")
    }
    try ContentRules.checkText(text, "description")
  }

  private func check(_ aliases: [String], of app: String) throws {
    guard aliases.count <= limits.aliasesMax else {
      throw StoreError.invalid(
        field: "aliases", expectation: "at most \(limits.aliasesMax) aliases")
    }
    guard aliases.allSatisfy(Self.isTopic), Set(aliases).count == aliases.count,
      !aliases.contains(app)
    else {
      throw StoreError.invalid(
        field: "aliases",
        expectation: "different topics of 1 to 64 letters, digits, '-' and '_', "
          + "other than the app's own name")
    }
  }

  private func check(_ hours: QuietHours) throws {
    guard hours.from != hours.to else {
      throw StoreError.invalid(
        field: "quietHours.to", expectation: "a time other than quietHours.from")
    }
    guard !hours.days.isEmpty else {
      throw StoreError.invalid(field: "quietHours.days", expectation: "at least one day")
    }
    if let zone = hours.timeZone {
      guard Self.isTimeZone(zone) else {
        throw StoreError.invalid(
          field: "quietHours.timeZone",
          expectation: "a time zone name such as Europe/Berlin, or null for the device's")
      }
    }
  }
}

extension AppSettingsChange {
  /// Whether the change sets a permission or the authorization, even to its default.
  fileprivate var namesPermission: Bool {
    authorization != nil || alert != nil || sound != nil || badge != nil
  }
}
