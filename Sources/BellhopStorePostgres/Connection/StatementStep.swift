#if BELLHOP_POSTGRES
/// A step of a connection: what it has sent to the server.
///
/// Measurements record the steps of the store's own calls: see ``PostgresSettings/onStep``. So they
/// repeat and explain the statements that the store really sends.
package enum StatementStep: Hashable, Sendable {
  case statement(sql: String, values: [PostgresValue])
  /// The end of a batch, for whose answers the connection waits.
  case end
}
#endif
