internal import BellhopCache
internal import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopWire
internal import Dispatch
internal import Synchronization

/// A run of `bellhop doctor`, with its environment and the results of earlier checks.
final class Examination: Sendable {
  let context: ClientContext
  /// The reason why `config.toml` could not be read. The defaults are used then.
  let configurationProblem: ClientError?
  /// The account to check; nil before the account checks.
  let account: Account?
  private let learned = Mutex(Learned())

  private struct Learned {
    var transport: HTTPTransport?
    var isReachable = false
    var tokenIsAccepted = false
    var health: HealthPayload?
  }

  /// The time limit for each network request.
  static let networkLimit: Duration = .seconds(5)
  /// The time limit for a check of the cache's pages, chosen for a waiting user.
  static let integrityLimit: Duration = .seconds(20)

  init(context: ClientContext, configurationProblem: ClientError?, account: Account?) {
    self.context = context
    self.configurationProblem = configurationProblem
    self.account = account
  }

  var isReachable: Bool {
    get { learned.withLock(\.isReachable) }
    set { learned.withLock { $0.isReachable = newValue } }
  }

  var tokenIsAccepted: Bool {
    get { learned.withLock(\.tokenIsAccepted) }
    set { learned.withLock { $0.tokenIsAccepted = newValue } }
  }

  var health: HealthPayload? {
    get { learned.withLock(\.health) }
    set { learned.withLock { $0.health = newValue } }
  }

  /// Returns the transport to the account's store, shared by all checks.
  func transport() throws -> HTTPTransport {
    if let transport = learned.withLock({ $0.transport }) { return transport }
    guard let account else { throw ClientError(.software, "No account is being checked.") }
    let transport = try EngineSetup.transport(for: account, context: context)
    learned.withLock { $0.transport = transport }
    return transport
  }

  /// Sends a request to the store, within the time limit.
  func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (HTTPTransport) async throws(TransportError) -> Answer
  ) throws -> Answer {
    let transport = try transport()
    return try Self.limited { () async throws(TransportError) in try await question(transport) }
  }

  /// Waits for work, within the time limit.
  static func limited<Answer: Sendable>(
    _ work: @escaping @Sendable () async throws -> Answer
  ) throws -> Answer {
    try runBlocking {
      try await withThrowingTaskGroup(of: Answer.self) { group in
        group.addTask { try await work() }
        group.addTask {
          try await ContinuousClock().sleep(for: networkLimit)
          throw TransportError.timedOut
        }
        defer { group.cancelAll() }
        guard let answer = try await group.next() else { throw TransportError.timedOut }
        return answer
      }
    }
  }

  /// Waits for a blocking call that cannot be cancelled; nil if it takes too long.
  static func blocking<Answer: Sendable>(
    _ work: @escaping @Sendable () -> Answer
  ) -> Answer? {
    let box = AnswerBox<Answer>()
    let finished = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      box.answer.withLock { $0 = work() }
      finished.signal()
    }
    guard
      finished.wait(timeout: .now() + Double(networkLimit.components.seconds)) == .success
    else { return nil }
    return box.answer.withLock { $0 }
  }

  /// Closes the connections of the checks.
  func end() {
    guard let transport = learned.withLock({ $0.transport.take() }) else { return }
    _ = try? runBlocking { await transport.shutdown() }
  }

  /// The address of the account's store; nil if it is not valid.
  var address: StoreAddress? { account.flatMap { try? StoreAddress($0.url) } }
}

/// A shared place for a thread's result.
private final class AnswerBox<Answer: Sendable>: Sendable {
  let answer = Mutex<Answer?>(nil)
}
