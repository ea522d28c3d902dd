import BellhopModel
import BellhopStore
import BellhopStoreMemory

/// A request to a simulated process, from which the checks derive the cause of its commits.
///
/// `@unchecked Sendable`: only the thread of the simulation uses it.
final class RequestContext: @unchecked Sendable {
  /// The purpose of a request, from which the cause of a commit follows.
  enum Purpose {
    case publication(Content, isQuiet: Bool, number: Int)
    case withdrawal
    case cancellation(NotificationID)
    case removal(NotificationID)
    case category(Category, app: String)
    case configuration(String, AppSettingsChange)
    case operations(OperationBatch)
    case sweep
    case other
  }

  /// The request of the current task; nil for a task of the process itself.
  @TaskLocal static var current: RequestContext?

  let purpose: Purpose
  /// The device that sent the request.
  let sender: (device: Int, id: DeviceID)?
  /// The timeline of the data that the last read saw; see ``SimulatedStore/timeline``.
  var timeline: Int
  /// The number of operations of the batch that were answered before each transaction.
  private var answeredBefore: [Int: Int] = [:]
  private var answered = 0

  init(_ purpose: Purpose, from sender: (device: Int, id: DeviceID)? = nil, timeline: Int) {
    self.purpose = purpose
    self.sender = sender
    self.timeline = timeline
  }

  /// Whether the request may apply an operation to all items that meet a condition.
  var hasBulk: Bool {
    switch purpose {
    case .operations(let batch): batch.operations.contains { $0.operation.isBulkTarget }
    case .sweep: true
    case .publication, .withdrawal, .cancellation, .removal, .category, .configuration, .other:
      false
    }
  }

  /// The number of the publication; nil for another request.
  var publication: Int? {
    if case .publication(_, _, let number) = purpose { number } else { nil }
  }

  /// Returns the cause of a commit of this request.
  func cause(of commit: SharedCommit) -> CommitCause {
    // The value of the service's transaction is a tuple: first the value of the logic.
    let value = commit.transaction.value.flatMap { Mirror(reflecting: $0).children.first?.value }
    switch purpose {
    case .publication(let content, let isQuiet, _):
      guard let published = value as? Published, !published.isRepeat else { return .other }
      return .publication(content, isQuiet: isQuiet)
    case .withdrawal: return .withdrawal
    case .cancellation(let id): return .cancellation(id)
    case .removal(let id): return .removal(id)
    case .category(let category, let app): return .category(category, app: app)
    case .configuration(let app, let change): return .configuration(app, change)
    case .operations(let batch):
      guard let step = value as? BatchStep else { return .other }
      let number = commit.transaction.number
      // A transaction whose commit a failover has lost can be committed again.
      let before = answeredBefore[number] ?? answered
      answeredBefore[number] = before
      answered = LogicHost.results(of: step).count
      return LogicHost.cause(of: batch, step, after: before)
    case .sweep: return Self.sweepCause(of: commit)
    case .other: return .other
    }
  }

  /// Returns the cause of a part of a sweep, which also continues bulk operations.
  private static func sweepCause(of commit: SharedCommit) -> CommitCause {
    let found = commit.before.read { state in
      (try? state.bulkWorks(limit: 1))?.first
    }
    guard let (user, work) = found else { return .sweep }
    let id = work.operation.id
    let after = commit.after.read { state in
      try? state.bulkWork(id, of: user)
    }
    return after == work ? .sweep : .operations([], underWay: work.operation)
  }
}
