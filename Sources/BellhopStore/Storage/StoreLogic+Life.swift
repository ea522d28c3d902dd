package import BellhopModel

/// The life of data that several processes serve at once (SYNC-4).
///
/// Any number of processes may serve a storage with a ``LifeKey``, and its data has one start for all
/// of them. The first write after a failover records the next one. Each read and write uses the
/// identity that belongs to the latest start. So every epoch begins with a start, too.
extension StoreLogic {
  /// Returns the logic for a read: in the life that the data has in its state.
  ///
  /// A read records no start. After a failover, the latest one stays in use until the first write: a
  /// token of lost data is ahead of the store, and the page of any other token says up to which
  /// sequence the client's rows are valid.
  package func continuing(reading state: any StoreReading) throws -> StoreLogic {
    guard state.lifeKey != nil, let latest = try state.latestStart() else { return self }
    return try continuing(latest, in: state)
  }

  /// Returns the logic for a write, and begins another life after a failover.
  ///
  /// In the scope of a user, the user is locked before the latest start is read. So no process has
  /// written rows of that user in a later start.
  ///
  /// - Parameter lost: the start in which the data is known to have lost writes; nil for none. If it
  ///   is the latest one, the write begins another life. It also does if the start of this logic is
  ///   missing.
  package func continuing(
    writingIn transaction: any StoreTransaction, afterLossIn lost: UniqueID<StoreStart>? = nil
  ) throws -> StoreLogic {
    guard let key = transaction.lifeKey, !Mutant.lifeKeyIgnored.isOn else { return self }
    let latest = try transaction.latestStart()
    if let latest, latest.lifeKey == key, latest.id != lost {
      if latest.isLater(than: identity.start) { return try continuing(latest, in: transaction) }
      // A backend may read the latest start a moment before another write records one.
      if try latest.id == identity.start.id || transaction.start(identity.start.id) != nil {
        return self
      }
    }
    let start = try transaction.insertStart(newID(), at: now, lifeKey: key, after: latest)
    return try continuing(start, in: transaction)
  }

  private func continuing(
    _ start: StoreStart, in state: any StoreReading
  ) throws -> StoreLogic {
    if start.id == identity.start.id { return self }
    // The mark of a move comes with a start.
    try Self.refuseMoved(in: state)
    guard let epoch = try state.metadata(.epoch), let key = try state.metadata(.tokenKey) else {
      throw StoreError.unavailable(
        reason: "the database has no epoch or no key; restore it from a backup")
    }
    return continued(
      as: StoreIdentity(
        epoch: Epoch(String(decoding: epoch, as: UTF8.self)), start: start,
        codec: TokenCodec(key: key)))
  }
}

extension StoreStart {
  /// Whether it was recorded after another start, in the same history of the data or after that one
  /// was lost.
  ///
  /// Ordinals rise, but continue lower after a loss.
  func isLater(than other: StoreStart) -> Bool {
    id != other.id && (ordinal >= other.ordinal || at > other.at)
  }
}
