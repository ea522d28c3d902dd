#if BELLHOP_POSTGRES
/// A message that a connection has sent to the server.
///
/// Measurements record the steps of the store's own calls: see ``PostgresSettings/onStep``. So they
/// repeat and explain the same statements that the store sends.
package enum StatementStep: Hashable, Sendable {
  case statement(sql: String, values: [PostgresValue])
  /// The end of a batch, for whose answers the connection waits.
  case end
}
#endif
