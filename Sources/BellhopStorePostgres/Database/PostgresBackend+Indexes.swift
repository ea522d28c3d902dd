#if BELLHOP_POSTGRES
package import BellhopStore

extension PostgresBackend {
  /// Returns the reason for which this program cannot use the tables; nil if it can.
  ///
  /// - Throws: ``PostgresError``.
  package static func fault(ofTablesOn connection: PostgresConnection) throws -> StoreError? {
    do {
      try PostgresSchema.check(connection)
      return nil
    } catch let error as StoreError {
      return error
    }
  }

  /// Returns the place to which the store was moved; nil if it was not. The tables must exist.
  ///
  /// - Throws: ``PostgresError``; ``StoreError/unavailable(reason:)`` if the mark is damaged.
  package static func movedTarget(on connection: PostgresConnection) throws -> String? {
    try PostgresTransaction(TransactionContext(connection, .snapshot)).movedTarget()
  }

  /// The names of the indexes that the newest schema creates by name, in alphabetical order.
  package static var indexNames: [String] {
    let creation = /(CREATE|DROP) (?:UNIQUE )?INDEX (?:CONCURRENTLY )?(?:IF (?:NOT )?EXISTS )?(\w+)/
    var names: Set<String> = []
    for statements in PostgresSchema.migrations.flatMap(\.statements) {
      for match in statements.matches(of: creation) {
        if match.1 == "CREATE" {
          names.insert(String(match.2))
        } else {
          names.remove(String(match.2))
        }
      }
    }
    return names.sorted()
  }
}
#endif
