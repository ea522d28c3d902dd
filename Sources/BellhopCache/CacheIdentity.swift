package import BellhopModel

/// A run of a process that writes to a cache.
///
/// A run takes back only deletes that it made itself.
package struct OutboxOwner: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }

  /// The owner in processes that never hold operations.
  package static let unnamed = OutboxOwner("")
}

/// The account of a cache, and its dependencies from the composition root.
package struct CacheIdentity: Sendable {
  package var account: AccountName
  /// The wall-clock time of the device.
  ///
  /// The device does not announce items that arrive in an app's quiet hours.
  package var wallClock: WallClock
  /// The number of the form in which this version reads items from a store.
  ///
  /// A cache that was read in an earlier form, or by a device in another environment, is read
  /// again. Zero leaves it as it is. See ``form(_:in:)``.
  package var form: Int64
  /// Makes the lineage of a new cache, which must be globally unique.
  package var newLineage: @Sendable () -> Lineage
  /// The run of the process that opens the cache.
  ///
  /// It must be unique on this machine if the process holds deletes.
  package var owner: OutboxOwner
  /// The number of change log entries, or slightly more, that are kept for readers.
  package var loggedChangesMax = LoggedChanges.entriesMax
  /// The counts at which repeats of an item in the tray are announced again.
  package var repeatRings = RepeatRings.standard

  package init(
    account: AccountName, wallClock: WallClock = .utc, owner: OutboxOwner = .unnamed,
    form: Int64 = 0, newLineage: @escaping @Sendable () -> Lineage
  ) {
    self.account = account
    self.wallClock = wallClock
    self.owner = owner
    self.form = form
    self.newLineage = newLineage
  }

  /// Returns the form in which a device reads items, as one number.
  ///
  /// - Parameters:
  ///   - number: the number of the form on the wire, below 1000.
  ///   - environment: the environment of the device, which decides which items the store sends.
  package static func form(_ number: Int, in environment: RegistrationEnvironment) -> Int64 {
    switch environment {
    case .development: Int64(number) + developmentForms
    case .production: Int64(number)
    }
  }

  /// The difference between the forms of a device in development and in production.
  private static let developmentForms: Int64 = 1000

  /// Whether a cache that was read in this form must be read again.
  func mustReadAgain(_ read: Int64) -> Bool {
    guard form > 0 else { return false }
    return read < form || read / Self.developmentForms != form / Self.developmentForms
  }
}
