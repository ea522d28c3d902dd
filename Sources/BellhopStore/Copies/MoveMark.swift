internal import FoundationEssentials

/// The mark of a store that was moved, or is being moved, to another storage.
struct MoveMark: Hashable, Sendable, Codable {
  /// The progress of the move.
  enum Phase: String, Hashable, Sendable, Codable {
    /// The target lacks rows, and does not open.
    case copying
    /// The target is complete or is about to be, so that it may have been served.
    case finishing
    /// The target is complete.
    case finished
  }

  /// A random id, which the target's ``CopyProgress`` repeats.
  var id: String
  /// The new place, without secrets.
  var target: String
  var phase = Phase.copying
}

/// The state of a copy, stored in its target.
///
/// It is written in the transactions of the copied rows. So a copy continues exactly where it was
/// interrupted, and two copies at the same time do not mix.
struct CopyProgress: Hashable, Sendable, Codable {
  /// The id of the copy: of its mark in the source, or the checksum of the backup.
  var id: String
  /// The number of rows that were inserted.
  var rows = 0
  /// The table that is being copied; nil before the first row.
  var table: String?
  /// The encoded key of the last inserted row.
  var key: [UInt8]?
  var isFinished = false

  init(id: String) { self.id = id }
}

extension StoreReading {
  func moveMark() throws -> MoveMark? { try decoded(.movedTo) }
  func copyProgress() throws -> CopyProgress? { try decoded(.copyProgress) }

  /// Returns the place to which the store was moved, or a move to which has begun; nil for none.
  package func movedTarget() throws -> String? { try moveMark()?.target }

  /// Checks that the storage is not the target of an unfinished copy.
  ///
  /// - Throws: ``StoreError/unfinishedCopy``.
  func refuseUnfinishedCopy() throws {
    if let progress = try copyProgress(), !progress.isFinished { throw StoreError.unfinishedCopy }
  }

  private func decoded<Value: Decodable>(_ key: MetadataKey) throws -> Value? {
    guard let bytes = try metadata(key), !bytes.isEmpty else { return nil }
    do {
      return try JSONDecoder().decode(Value.self, from: Data(bytes))
    } catch {
      throw StoreError.unavailable(reason: "the metadata \(key.rawValue) is damaged")
    }
  }
}

extension StoreTransaction {
  func setMoveMark(_ mark: MoveMark?) throws {
    try setMetadata(mark.map { Array(try JSONEncoder().encode($0)) } ?? [], for: .movedTo)
  }

  func setCopyProgress(_ progress: CopyProgress) throws {
    try setMetadata(Array(try JSONEncoder().encode(progress)), for: .copyProgress)
  }
}

extension StoreLogic {
  /// Refuses to open a store that was moved, or an unfinished target.
  ///
  /// - Throws: ``StoreError/moved(target:)``, ``StoreError/unfinishedCopy``.
  static func refuseMoved(in state: any StoreReading) throws {
    if let mark = try state.moveMark() { throw StoreError.moved(target: mark.target) }
    try state.refuseUnfinishedCopy()
  }
}

extension StoreService {
  /// Returns the place to which the store on a backend was moved; nil if it was not.
  package static func movedTarget(
    of backend: any StorageBackend
  ) async throws(StoreError) -> String? {
    do { return try await backend.read { try $0.movedTarget() } } catch {
      throw StoreError(error)
    }
  }

  /// Makes a store that was moved usable again where it was.
  ///
  /// If the move was finished, the target may have been served meanwhile. Its later changes are not
  /// here. So this begins another epoch, as after a restore from backup: clients start again and send
  /// what they still hold. The same holds for a move that was interrupted in its last step. An
  /// unfinished copy cannot be continued afterwards; its target must be emptied.
  ///
  /// - Returns: whether the store was marked as moved.
  @discardableResult
  package static func revive(
    on backend: any StorageBackend, environment: StoreEnvironment,
    limits: StoreLimits = StoreLimits()
  ) async throws(StoreError) -> Bool {
    do {
      return try await backend.write(
        in: .users,
        { transaction in
          guard let mark = try transaction.moveMark() else { return false }
          try transaction.setMoveMark(nil)
          guard mark.phase != .copying else { return true }
          let logic = try StoreLogic.open(
            .joining, environment: environment, limits: limits, in: transaction)
          _ = try logic.adopt(after: nil, in: transaction)
          return true
        }, committed: { _ in })
    } catch {
      throw StoreError(error)
    }
  }
}
