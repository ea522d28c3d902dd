package import BellhopModel
import BellhopText

extension InboxState {
  /// Changes the user's settings for an app.
  ///
  /// Shows the change immediately; the effect applies it on every device.
  ///
  /// - Parameter line: The notice to show.
  mutating func configure(
    _ key: AppKey, _ change: AppSettingsChange, _ line: SafeText, _ effects: inout [Effect]
  ) {
    let before = apps.settings(of: key)
    guard change.applied(to: before) != before else { return say("Already set.") }
    let operation = perform(change, of: key, &effects)
    // Undone steps cannot be redone after a new change.
    steps.forgetUndone()
    steps.push(.settings(key, back: change.values(of: before), made: change, operation))
    notice = Notice(.success, line + " " + keyHint(.undo) + " undoes it")
  }

  /// Appends the change to the outbox, and shows it.
  mutating func perform(
    _ change: AppSettingsChange, of key: AppKey, _ effects: inout [Effect]
  ) -> OperationID {
    let operation = Operation(
      id: ids.next(at: now), target: .app(key.app), mutation: .configure(change))
    effects.append(.change(.perform(account: key.account, operations: [operation])))
    apps.add(AppsState.Pending(operation: operation.id, key: key, change: change))
    apps.arrange(accounts.shown)
    return operation.id
  }

  /// Restores an app's previous settings, unless they have changed since.
  ///
  /// - Returns: The step that reverses this; nil if nothing was done.
  mutating func reverseSettings(
    _ key: AppKey, back: AppSettingsChange, made: AppSettingsChange, _ word: SafeText,
    _ effects: inout [Effect]
  ) -> UndoEntry? {
    let current = apps.settings(of: key)
    guard made.applied(to: current) == current else {
      say("Not undone: it has changed elsewhere since.")
      return nil
    }
    let operation = perform(back, of: key, &effects)
    notice = Notice(.success, word + "the settings of " + name(of: key) + ".")
    return .settings(key, back: made, made: back, operation)
  }

  /// Returns the user's name for an app.
  func name(of key: AppKey) -> SafeText {
    SafeText(apps.settings(of: key).name, byteLimit: RowSummary.nameBytesMax)
  }
}

extension UndoEntry {
  /// Creates the step that restores an app's previous settings.
  static func settings(
    _ key: AppKey, back: AppSettingsChange, made: AppSettingsChange, _ operation: OperationID
  ) -> UndoEntry {
    UndoEntry(
      operations: [Done(account: key.account, operation: operation)], lines: [], count: 1,
      kind: .settings(key, back: back, made: made),
      // A placeholder that is never shown, because this step has no items.
      change: .pin)
  }
}

extension AppSettingsChange {
  /// Returns the current values of the settings that the change contains.
  package func values(of settings: AppSettings) -> AppSettingsChange {
    var values = AppSettingsChange()
    func old<Value>(_ value: Value?) -> Replacement<Value> { value.map { .set($0) } ?? .clear }
    if displayName != nil { values.displayName = old(settings.displayName) }
    if aliases != nil { values.aliases = settings.aliases }
    if mute != nil { values.mute = settings.mute }
    if authorization != nil { values.authorization = settings.authorization }
    if alert != nil { values.alert = settings.permissions.alert }
    if sound != nil { values.sound = settings.permissions.sound }
    if badge != nil { values.badge = settings.permissions.badge }
    if whenFocused != nil { values.whenFocused = settings.whenFocused }
    if quietHours != nil { values.quietHours = old(settings.quietHours) }
    if timeZone != nil { values.timeZone = old(settings.timeZone) }
    if let places {
      values.places = places.mapValues { _ in .add }
      for name in places.keys where settings.places[name] == nil { values.places?[name] = .remove }
    }
    if usesPlaces != nil { values.usesPlaces = settings.usesPlaces }
    if retentionDays != nil { values.retentionDays = old(settings.retentionDays) }
    if responses != nil { values.responses = settings.responses }
    if repeats != nil { values.repeats = settings.repeats }
    if repeatsIgnoreNumbers != nil { values.repeatsIgnoreNumbers = settings.repeatsIgnoreNumbers }
    if resolutions != nil { values.resolutions = settings.resolutions }
    return values
  }
}
