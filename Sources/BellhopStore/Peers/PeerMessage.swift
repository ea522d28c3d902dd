package import BellhopModel

/// A message from one store process to the others over the same database.
///
/// Messages are hints, as signals are: they may be lost, repeated or late, and come in any order.
/// ``StoreService/followPeers(sleep:)`` repairs what was lost.
package enum PeerMessage: Hashable, Sendable {
  case items(ItemsChange)
  /// The web hook subscriptions of a user were created, changed or ended.
  case subscriptions(UserID)
  case ended(EndedAccess)
}

/// A change of a user's items.
package struct ItemsChange: Hashable, Sendable {
  package var user: UserID
  /// The sequence up to which the items changed.
  package var sequence: SequenceNumber
  /// The device that caused all of the change; nil if others had a part in it.
  package var device: DeviceID?
  /// The life of the data in which the sequence was issued.
  package var life: DataLife

  package init(
    user: UserID, sequence: SequenceNumber, device: DeviceID? = nil, life: DataLife
  ) {
    self.user = user
    self.sequence = sequence
    self.device = device
    self.life = life
  }
}

/// One life of a store's data, in which no sequence is issued twice (SYNC-4).
package struct DataLife: Hashable, Sendable {
  package var epoch: Epoch
  package var start: UniqueID<StoreStart>

  package init(epoch: Epoch, start: UniqueID<StoreStart>) {
    self.epoch = epoch
    self.start = start
  }

  init(_ identity: StoreIdentity) {
    self.init(epoch: identity.epoch, start: identity.start.id)
  }
}

/// The streams that end because their token, device or user lost access.
package enum EndedAccess: Hashable, Sendable {
  /// The streams of a device, except those that a token opened which the device has just received.
  case device(DeviceID, of: UserID, keeping: AccessTokenID? = nil)
  /// The streams that a token opened, and those of its device that no token opened.
  case token(AccessTokenID, of: UserID, device: DeviceID? = nil)
  /// All streams of a user.
  case user(UserID)

  /// Creates the end of a revoked token's streams.
  init(_ token: AccessToken) {
    var device: DeviceID?
    if case .device(let bound) = token.scope { device = bound }
    self = .token(token.id, of: token.user, device: device)
  }
}
