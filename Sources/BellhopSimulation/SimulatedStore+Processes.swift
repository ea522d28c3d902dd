import BellhopCache
import BellhopModel
import BellhopNetwork
import BellhopStore
import BellhopStoreMemory
import BellhopSync

/// A store of several processes: requests are answered later, and failovers may lose commits.
extension SimulatedStore {
  /// Follows the commits of all processes.
  func followProcesses() {
    shared?.violate = { [unowned self] in judge.violate($0) }
    shared?.applied = { [unowned self] cause, commit in applied(cause, commit) }
  }

  private func applied(_ cause: CommitCause, _ commit: SharedCommit) {
    let transaction = commit.transaction
    follow(
      cause, by: transaction.context?.sender, at: userTime(transaction.time),
      isBetween: shared?.hasBulk(besides: transaction) ?? false)
    keep(commit.version)
  }

  /// Returns the time of a write that ran at `time`: the user's time goes back only with a clock.
  private func userTime(_ time: Timestamp) -> Timestamp {
    guard let last = truth.counters.changed, time < last,
      time.advanced(by: .seconds(10)) >= last
    else { return time }
    return last
  }

  /// Remembers what the checks know now, for a failover that leads back to this version.
  private func keep(_ version: Int) {
    known[version] = (truth, judge.record)
    guard let shared else { return }
    let versions = Set(shared.storage.past.map(\.version))
    known = known.filter { versions.contains($0.key) }
  }

  /// Forgets the states before the current one, to which no later failover leads.
  func forgetPastStates() {
    known = [:]
    if let shared { keep(shared.storage.version) }
  }

  // MARK: Failover

  /// Promotes a standby.
  ///
  /// - Parameters:
  ///   - count: The number of commits that the standby lacks.
  ///   - stranded: The time for which a process stays with the former primary; nil for none.
  func failOver(losing count: Int, stranding stranded: Duration?) throws {
    guard let shared else { return }
    let storage = shared.storage
    let former = storage.state
    let choices = storage.past.suffix(count + 1)
    let process = shared.serving()
    guard let next = choices.first, next.version < storage.version else {
      let current = SharedStorage.Past(state: storage.state, version: storage.version)
      shared.failOver(to: current)
      forgetPastStates()
      strand(process, at: former, for: stranded)
      return
    }
    guard let (past, record) = known[next.version] else { return }
    shared.failOver(to: next)
    let lost = truth
    try reload(past)
    judge.wentBack(to: record, at: past.counters.sequence) { lost.live($0) == nil }
    forgetPastStates()
    strand(process, at: former, for: stranded)
  }

  private func strand(
    _ process: SimulatedProcess?, at state: MemorySnapshot, for time: Duration?
  ) {
    if let process, let time { shared?.strand(process, at: state, for: time) }
  }

  // MARK: Requests of devices

  func register(
    _ device: SimulatedDevice, then: @escaping (Result<Author, TransportError>) -> Void
  ) {
    guard let shared else {
      return then(register(device.id, in: device.policy.environment, with: device.token))
    }
    shared.register(device.sender, in: device.policy.environment) {
      then($0.mapError { TransportError(simulated: $0) })
    }
  }

  func pull(
    _ request: ChangeChunk.Request, from device: SimulatedDevice,
    then: @escaping (Result<PullAnswer, TransportError>) -> Void
  ) {
    guard let shared else {
      return then(pull(request, from: device.id, with: device.token))
    }
    shared.pull(request, from: device.sender) { [self] result, past in
      if case .success(let answer) = result {
        var isFirst = true
        if case .page(_?) = request { isFirst = false }
        if isFirst {
          note(
            answer, to: request, isDevelopment: device.policy.environment == .development,
            of: past)
        }
      }
      then(result.mapError { TransportError(simulated: $0) })
    }
  }

  /// Sends a batch.
  ///
  /// - Parameter then: Called with the answer and the timeline in which the request arrived.
  func send(
    _ batch: OutboxBatch, from device: SimulatedDevice, between: () -> Void,
    then: @escaping (Result<SendAnswer, TransportError>, Int) -> Void
  ) {
    let began = timeline
    guard let shared else {
      return then(send(batch, from: device, with: device.token, between: between), began)
    }
    shared.send(batch, from: device.sender) {
      then($0.mapError { TransportError(simulated: $0) }, began)
    }
  }

  /// Gives a device another token.
  func signIn(
    _ device: SimulatedDevice, expires: Timestamp?, then: @escaping (String?) -> Void
  ) {
    if let shared { return shared.signIn(device.id, expires: expires, then: then) }
    var token: String?
    perform { token = try $0.signIn(device.id, expires: expires) }
    then(token)
  }
}
