package import BellhopModel

/// The right of one process to do a piece of work, until it expires.
///
/// Every piece of work is safe to do twice. A lease only avoids double work, and lets another
/// process continue when the holder has died.
package struct Lease: Hashable, Sendable {
  package var name: LeaseName
  /// The process that holds it; nil after it was released.
  package var holder: ProcessID?
  /// A fencing number: it rises with each new holder.
  ///
  /// A result is recorded only under the latest number, so that a process that was suspended for a
  /// while changes nothing after another one took its lease.
  package var number: Int64
  package var expires: Timestamp

  package init(name: LeaseName, holder: ProcessID?, number: Int64, expires: Timestamp) {
    self.name = name
    self.holder = holder
    self.number = number
    self.expires = expires
  }

  /// The longest life of a lease. One that ends later comes from a wrong clock, and has expired.
  package static let lifeMax = Duration.seconds(600)
  /// The life of the lease ``LeaseName/upkeep``, which each heartbeat of its holder renews.
  package static let upkeepLife = Duration.seconds(30)

  /// Whether a process other than `process` holds it at `now`.
  func isHeld(besides process: ProcessID, at now: Timestamp) -> Bool {
    guard let holder, holder != process else { return false }
    return expires > now && expires <= now.advanced(by: Self.lifeMax)
  }
}

/// The name of a piece of work that one process does at a time.
package enum LeaseName: Hashable, Sendable {
  /// Sweeps, and the rest of interrupted bulk operations.
  case upkeep
  /// Deliveries to a user's web hooks.
  case hooks(UserID)

  /// The text under which a backend stores it.
  package var text: String {
    switch self {
    case .upkeep: "upkeep"
    case .hooks(let user): "hooks \(user.rawValue)"
    }
  }

  /// The scope of the writes that claim it, so that one claim is decided after another.
  var scope: WriteScope {
    switch self {
    case .upkeep: .store
    case .hooks(let user): .user(user)
    }
  }
}
