/// The ids of the copied outboxes in one storage.
///
/// A copy numbers the outboxes of each user from 1 instead; see ``CopiedTable``.
package struct CopiedOutboxes {
  /// The ids of the outboxes by user, as far as they were read.
  private var known: [Int64: [Int64]] = [:]

  package init() {}

  /// Returns the id of the outbox that a key contains; nil for a table whose keys contain none.
  ///
  /// - Parameters:
  /// - key: The values of a row's key, which more values may follow.
  /// - readIDs: Reads the ids of a user's outboxes in ascending order.
  /// - Throws: ``StoreError/unavailable(reason:)`` for an outbox that was not copied.
  package mutating func id(
    in key: [CopiedValue], of table: CopiedTable, readIDs: (_ user: Int64) throws -> [Int64]
  ) throws -> Int64? {
    guard table == .outboxNumber, case .integer(let user) = key[0],
      case .integer(let number) = key[1]
    else { return nil }
    let ids = try known[user] ?? readIDs(user)
    known[user] = ids
    guard number > 0, number <= ids.count else {
      throw StoreError.unavailable(
        reason: "a copied row refers to an outbox that was not copied")
    }
    return ids[Int(number) - 1]
  }
}
