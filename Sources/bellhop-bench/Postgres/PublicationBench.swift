#if BELLHOP_POSTGRES
import BellhopModel
import BellhopStore
import BellhopStorePostgres

/// Users who publish over `bellhopd`, and users of `pgbench` with the same rows.
///
/// They are apart, because `pgbench` takes numbers that the store did not give.
struct PublicationBench {
  static let usersMax = 64
  /// The number before those of the recorded publication, far from all other values in its statements.
  private static let recordedNumber: Int64 = 7_000_000_006

  /// A publish token of each user of the store.
  let tokens: [String]
  /// The first of the users of `pgbench`, whose ids follow each other.
  let firstPeer: UserID
  let script: PublicationScript

  /// Creates the users, and records the statements of a publication.
  init(_ cluster: BenchCluster) async throws {
    let recorder = StatementRecorder()
    let made = try await cluster.withStore(recorder: recorder) {
      (service: StoreService, backend: PostgresBackend) async throws -> (
        tokens: [String], first: UserID, script: PublicationScript
      ) in
      var tokens: [String] = []
      var peers: [UserID] = []
      var peerSecret: AccessTokenSecret?
      for number in 0..<Self.usersMax {
        let user = try await service.addUser(named: "user\(number)").id
        let minted = try await service.mintToken(
          named: "publish", scope: .publish(.any), for: user)
        tokens.append(minted.secret.text)
      }
      for number in 0..<Self.usersMax {
        let peer = try await service.addUser(named: "peer\(number)").id
        peers.append(peer)
        if number == 0 {
          let minted = try await service.mintToken(
            named: "publish", scope: .publish(.any), for: peer)
          peerSecret = minted.secret
        }
      }
      guard let first = peers.first, let secret = peerSecret,
        peers.enumerated().allSatisfy({ $1.rawValue == first.rawValue + Int64($0) })
      else { throw BenchError("the ids of new users do not follow each other") }
      let script = try await Self.record(
        service, backend, recorder, publishingAs: secret, for: first)
      return (tokens: tokens, first: first, script: script)
    }
    tokens = made.tokens
    firstPeer = made.first
    script = made.script
  }

  /// Publishes as the server does, and returns the script of what was sent.
  private static func record(
    _ service: StoreService, _ backend: PostgresBackend, _ recorder: StatementRecorder,
    publishingAs secret: AccessTokenSecret, for user: UserID
  ) async throws -> PublicationScript {
    let request = PublishRequest(BenchRequests.sample())
    // The app is known, the use of the token is noted, and the sequence has its mark of this start.
    _ = try await service.authenticate(secret)
    _ = try await service.publish(request, for: user)
    try await backend.write(
      in: .user(user),
      { transaction in
        guard var counters = try transaction.counters(of: user) else { return }
        counters.sequence = SequenceNumber(recordedNumber)
        counters.shortNumber = recordedNumber
        try transaction.setCounters(counters, of: user)
      }, committed: { _ in })
    var item: UserNotification?
    let sessions = try await recorder.record {
      _ = try await service.authenticate(secret)
      item = try await service.publish(request, for: user).item
    }
    guard let item, sessions.contains(where: { $0.contains(where: \.insertsItem) }) else {
      throw BenchError("the statements of a publication were not recorded")
    }
    return PublicationScript(sessions, publishing: item, of: user)
  }
}

extension StatementStep {
  /// Whether the step stores the content of an item.
  fileprivate var insertsItem: Bool {
    switch self {
    case .statement(let sql, _): sql.contains("INSERT INTO item ")
    case .end: false
    }
  }
}

/// The figures of `pgbench` in one run.
struct PgbenchFigures {
  /// Transactions in a second.
  var rate: Double
  /// The CPU time of the servers for each transaction, in µs.
  var databaseCPU: Double
}

/// The peer: `pgbench` with the script, on the same servers.
struct PgbenchRun {
  /// The longest time that `pgbench` takes before and after its run, in seconds.
  private static let startTimeMax = 60

  let cluster: BenchCluster
  let publications: PublicationBench

  /// Runs the script.
  ///
  /// - Parameters:
  ///   - number: The number of the run on this cluster.
  ///   - seconds: The duration; `pgbench` accepts whole seconds only.
  func callAsFunction(
    users: Int, connections: Int, seconds: Int, number: Int
  ) throws -> PgbenchFigures {
    let script = try cluster.user.write(publications.script.text, to: "publish.sql")
    let before = try cluster.cpu()
    let text = try cluster.user.run(
      try Files.installed("timeout"),
      [
        "-k", "5", "\(seconds + Self.startTimeMax)", try Files.installed("pgbench"), "-n",
        "-h", cluster.folder, "-p", "\(cluster.port)", "-U", "bench", "-f", script, "-M",
        "prepared", "-c", "\(connections)", "-j", "1", "-T", "\(seconds)",
      ] + publications.script.arguments(first: publications.firstPeer, users: users, run: number)
        + [try database()])
    let cpu = try cluster.cpu() - before
    let output = PgbenchOutput(text: text)
    let rate = try output.rate()
    guard let count = output.number(after: "number of transactions actually processed: "),
      count > 0
    else { throw BenchError("pgbench has processed no transaction: \(text.suffix(300))") }
    if let failed = output.number(after: "number of failed transactions: "), failed > 0 {
      throw BenchError("\(Int(failed)) transactions of pgbench failed")
    }
    return PgbenchFigures(rate: rate, databaseCPU: cpu.inMilliseconds * 1000 / count)
  }

  /// Returns the database for `pgbench`, whose sessions have the settings of the store's.
  private func database() throws -> String {
    let options = try cluster.settings().session.sorted { $0.key < $1.key }.map { name, value in
      "-c \(name)=\(value.replacing("\\", with: "\\\\").replacing(" ", with: "\\ "))"
    }
    // Quoted once more as a value of a connection string.
    let text = options.joined(separator: " ").replacing("\\", with: "\\\\")
      .replacing("'", with: "\\'")
    return "dbname=postgres options='\(text)'"
  }
}
#endif
