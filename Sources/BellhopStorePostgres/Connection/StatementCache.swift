#if BELLHOP_POSTGRES
internal import CPostgres

/// A statement that the server has parsed under a name.
final class PreparedStatement {
  let name: String
  let types: [PostgresType]
  /// The columns of its rows, once it has returned some.
  var columns: PostgresColumns?
  fileprivate var lastUse: Int

  fileprivate init(name: String, types: [PostgresType], use: Int) {
    self.name = name
    self.types = types
    lastUse = use
  }
}

/// The prepared statements of one connection, by their text.
struct StatementCache {
  /// The most statements that stay prepared. Each needs some ten kilobytes of the server's memory.
  static let countMax = 256

  private var statements: [String: PreparedStatement] = [:]
  private var uses = 0
  private var names = 0

  var count: Int { statements.count }

  /// Returns the statement, if it was prepared with these types.
  mutating func find(_ text: String, types: [PostgresType]) -> PreparedStatement? {
    guard let statement = statements[text], statement.types == types else { return nil }
    uses += 1
    statement.lastUse = uses
    return statement
  }

  /// Adds a statement.
  ///
  /// - Returns: The statement, and the name of the one that it replaces, which the server must
  ///   forget.
  mutating func add(
    _ text: String, types: [PostgresType]
  ) -> (statement: PreparedStatement, removed: String?) {
    names += 1
    uses += 1
    let statement = PreparedStatement(name: "s\(names)", types: types, use: uses)
    var removed = statements.updateValue(statement, forKey: text)
    if removed == nil, statements.count > Self.countMax,
      let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      removed = statements.removeValue(forKey: oldest.key)
    }
    return (statement, removed?.name)
  }

  /// Removes a statement that the server does not know, or can no longer run.
  mutating func forget(_ statement: PreparedStatement) {
    guard let entry = statements.first(where: { $0.value === statement }) else { return }
    statements[entry.key] = nil
  }
}
#endif
