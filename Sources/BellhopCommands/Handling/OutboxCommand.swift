internal import BellhopCache
package import BellhopClient
internal import BellhopModel
internal import BellhopText

extension Commands {
  /// An operation as `bellhop outbox --json` prints it. The topic `watch` lists the keys.
  private struct WaitingLine: Encodable {
    var account: String
    var operation: String
    var verb: String
    var number: Int64?
    var item: String?
    var app: String?
    var title: String?
    var made: String
    /// The stage: `held`, `unsent` or `answered`.
    var stage: String
    /// The reason as one word for programs. See `WaitReason`.
    var reason: String
    var until: String?
    var since: String?
    var why: String
  }

  /// An outcome as `bellhop outbox --refused --json` prints it. The topic `watch` lists the keys.
  private struct RefusedLine: Encodable {
    var account: String
    var operation: String
    var verb: String
    var number: Int64?
    var item: String?
    var app: String?
    var title: String?
    var made: String
    var decided: String
    var result: String
    var latest: String?
    var why: String
  }

  /// The most operations printed, far more than a user makes offline.
  private static let outboxLinesMax = 10_000

  /// Runs `bellhop outbox`, which prints waiting operations, since when they wait and why.
  ///
  /// Reads the cache and the engine's note, even while a screen is the engine, and sends no request
  /// to the store.
  package static func outbox(
    _ context: ClientContext, areRefused: Bool, ofAllAccounts: Bool, asJSON: Bool
  ) throws {
    let all = try CacheAccess.chosen(context, all: ofAllAccounts)
    var count = 0
    for access in all {
      let account = all.count > 1 ? SafeText(access.account.name.rawValue).padded(to: 12) : .empty
      count +=
        areRefused
        ? try refused(access, prefix: account, asJSON: asJSON)
        : try waiting(access, prefix: account, asJSON: asJSON)
    }
    if count == 0, !asJSON {
      StandardError.say(
        areRefused ? "All your changes were applied." : "All your changes are sent.")
    }
  }

  private static func waiting(
    _ access: CacheAccess, prefix: SafeText, asJSON: Bool
  ) throws -> Int {
    let reader = try access.reader()
    let operations = try reader.waitingOperations(limit: outboxLinesMax)
    guard !operations.isEmpty else { return 0 }
    let now = try access.storeTime()
    let engine = EngineObservation(access)
    for waiting in operations {
      let item = try item(of: waiting.operation, reader)
      let reason = WaitReason(waiting.stage, engine: engine)
      if asJSON {
        try StandardOutput.jsonLine(
          WaitingLine(
            account: access.account.name.rawValue, operation: waiting.id.description,
            verb: OperationText.verb(waiting.operation),
            number: item.flatMap { ItemJSON.number($0.notification.shortNumber) },
            item: waiting.operation.notificationIDs.first?.description,
            app: waiting.operation.app, title: item?.notification.content.visual?.title,
            made: waiting.madeAt.description, stage: word(waiting.stage), reason: reason.word,
            until: reason.until?.description, since: reason.since?.description,
            why: reason.text(url: access.account.url, now: now)))
      } else {
        StandardOutput.line(
          prefix
            + SafeText(
              OperationText.line(waiting.operation, item: item, now: now)
                + " · since \(MomentText.moment(waiting.madeAt, now: now)) · "
                + reason.text(url: access.account.url, now: now)))
      }
    }
    return operations.count
  }

  private static func refused(
    _ access: CacheAccess, prefix: SafeText, asJSON: Bool
  ) throws -> Int {
    let reader = try access.reader()
    let outcomes = try reader.outcomes(of: nil, limit: outboxLinesMax)
    let now = try access.storeTime()
    for outcome in outcomes {
      let item = try item(of: outcome.operation, reader)
      let why = OutcomeText.line(outcome, item: item, now: now)
      if asJSON {
        let (result, latest) = word(outcome.result)
        try StandardOutput.jsonLine(
          RefusedLine(
            account: access.account.name.rawValue, operation: outcome.operation.id.description,
            verb: OperationText.verb(outcome.operation),
            number: outcome.number
              ?? item.flatMap { ItemJSON.number($0.notification.shortNumber) },
            item: outcome.operation.notificationIDs.first?.description,
            app: outcome.operation.app,
            title: (item?.notification ?? outcome.operation.localItem)?.content.visual?.title,
            made: outcome.madeAt.description, decided: outcome.decidedAt.description,
            result: result, latest: latest?.description, why: why))
      } else {
        StandardOutput.line(
          prefix
            + SafeText(
              OperationText.line(outcome.operation, number: outcome.number, item: item, now: now)
                + ": " + why))
      }
    }
    // Printing JSON for a program does not count as showing it to the user.
    let news = outcomes.filter { !$0.isReported }.map(\.operation.id)
    if !asJSON, !news.isEmpty { try? access.storage().markReported(news) }
    return outcomes.count
  }

  private static func item(
    of operation: BellhopModel.Operation, _ reader: CacheReader
  ) throws -> CachedItem? {
    let ids = operation.notificationIDs
    return try ids.count == 1 ? reader.item(ids[0]) : nil
  }

  private static func word(_ stage: WaitingOperation.Stage) -> String {
    switch stage {
    case .held: "held"
    case .unsent: "unsent"
    case .answered: "answered"
    }
  }

  private static func word(_ result: OperationResult) -> (word: String, latest: Timestamp?) {
    switch result {
    case .applied: ("applied", nil)
    case .alreadyApplied: ("alreadyApplied", nil)
    case .superseded: ("superseded", nil)
    case .gone: ("gone", nil)
    case .refused(let latest): ("refused", latest)
    case .unacceptable(let fault): (fault.rawValue, nil)
    case .outcomeUnknown: ("outcomeUnknown", nil)
    case .notPublished: ("notPublished", nil)
    }
  }
}
