#if BELLHOP_POSTGRES
import BellhopStorePostgres
import BellhopTestSupport
import PostgresTestSupport
import Testing

/// Runs a suite with a cluster of its own.
struct ClusterTrait: SuiteTrait, TestScoping {
  /// The cluster of the suite that runs.
  @TaskLocal static var current: PostgresCluster?

  var options: [String]

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let cluster = try await PostgresCluster(options: options)
    defer { cluster.stop() }
    try await Self.$current.withValue(cluster) { try await function() }
  }
}

extension Trait where Self == ClusterTrait {
  /// A cluster for all tests of the suite, with settings of the server.
  static func cluster(_ options: String...) -> Self { ClusterTrait(options: options) }
}

/// The suites that need a server.
@Suite(
  "PostgreSQL", .enabled(if: PostgresCluster.isInstalled, "PostgreSQL is not installed here"),
  .realPrograms, .timeLimit(.minutes(10)), .cluster("deadlock_timeout=100ms"))
struct ServerTests {
  /// The server of the suite.
  static func cluster() throws -> PostgresCluster { try #require(ClusterTrait.current) }

  /// Opens a connection to the server of the suite.
  static func connect(
    _ adjust: (inout PostgresSettings) -> Void = { _ in }
  ) throws -> PostgresConnection {
    var settings = try cluster().settings()
    adjust(&settings)
    return try PostgresConnection.open(settings)
  }

  /// Runs `body` on another thread with a connection of its own.
  static func beside<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) throws -> Task<Value, any Error> {
    let cluster = try cluster()
    return .besidePrograms { try body(PostgresConnection.open(cluster.settings())) }
  }
}
#endif
