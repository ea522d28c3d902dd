#if BELLHOP_POSTGRES
import BellhopTestSupport
import Foundation
import Glibc

/// The lengths and choices of the cluster tests, from the environment.
///
/// - `BELLHOP_CLUSTER_MINUTES`: the time of the trouble, 1 by default.
/// - `BELLHOP_CLUSTER_FAILOVERS`: 1 by default, and 3 from 10 minutes on.
/// - `BELLHOP_CLUSTER_TROUBLE_SECONDS`: the time between two killed stores, 5 by default.
/// - `BELLHOP_CLUSTER_CUT_SECONDS`: the length of a network cut, 15 by default.
/// - `BELLHOP_CLUSTER_SEED`: the choices of an earlier run, though timing differs.
/// - `BELLHOP_CLUSTER_NAMESPACE=1`: the tests that need root, for a file system or a network.
/// - `BELLHOP_CLUSTER_PREVIOUS`: the path of the previous release's `bellhopd`.
enum ClusterOptions {
  static let minutes = number("BELLHOP_CLUSTER_MINUTES") ?? 1
  static let failovers = number("BELLHOP_CLUSTER_FAILOVERS") ?? (minutes < 10 ? 1 : 3)
  static let troublePause = Duration.seconds(number("BELLHOP_CLUSTER_TROUBLE_SECONDS") ?? 5)
  static let cut = Duration.seconds(number("BELLHOP_CLUSTER_CUT_SECONDS") ?? 15)
  static let seed =
    text("BELLHOP_CLUSTER_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)
  static let hasNamespaces = text("BELLHOP_CLUSTER_NAMESPACE") == "1" && geteuid() == 0
  static let previousProgram = text("BELLHOP_CLUSTER_PREVIOUS")

  private static func text(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name]
  }

  private static func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }
}

/// Servers of PostgreSQL, and stores that serve a database on them.
struct ClusterScene: Sendable {
  let nodes: DatabaseNodes
  let stores: StoreGroup
  let folder: String

  /// Starts everything, runs `body`, and ends everything.
  ///
  /// - Parameter hosts: The hosts in the address of the database, such as a relay; nil for the servers.
  static func play(
    nodes: DatabaseNodes, stores options: StoreGroup.Options, hosts: String? = nil,
    _ body: (ClusterScene) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let stores = try StoreGroup(
      options, database: nodes.address(hosts: hosts), folder: folder.path)
    do {
      try await nodes.start()
      try await stores.administer("migrate-schema")
      try await stores.start()
      try await body(ClusterScene(nodes: nodes, stores: stores, folder: folder.path))
    } catch {
      print("The last messages:\n\(await stores.logEnds)\n\(await nodes.logEnds)")
      await stores.end()
      await nodes.end()
      throw error
    }
    await stores.end()
    await nodes.end()
  }

  /// Runs devices during `body`, and starts stores again that have ended.
  func run(_ devices: [ClusterDevice], during body: () async throws -> Void) async throws {
    let stores = self.stores
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await stores.supervise() }
      for device in devices { group.addTask { await device.run() } }
      defer { group.cancelAll() }
      try await body()
    }
  }

  /// Creates a user.
  func addUser(_ name: String) async throws {
    try await stores.administer("user", "add", name)
  }

  /// Creates a publisher for a user.
  func publisher(_ name: String, of user: String) async throws -> ClusterPublisher {
    ClusterPublisher(name: name, user: user, token: try await stores.publishToken(user))
  }

  /// Creates a device of a user.
  func device(
    _ name: String, of user: String, at address: String, seed: UInt64 = 1
  ) async throws -> ClusterDevice {
    try ClusterDevice(
      name: name, user: user, address: address, token: try await stores.deviceToken(user),
      seed: seed)
  }
}
#endif
