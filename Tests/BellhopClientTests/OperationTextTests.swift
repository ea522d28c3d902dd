import BellhopModel
import BellhopSync
import Testing

@testable import BellhopCache
@testable import BellhopClient

/// The texts that describe users' own changes.
@Suite("Changes in words")
struct OperationTextTests {
  static let start = Timestamp(milliseconds: 1_800_000_000_000)

  static func operation(
    _ command: ItemCommand, seen: Int64? = 1, expect: OperationID? = nil
  ) -> BellhopModel.Operation {
    BellhopModel.Operation(
      id: OperationID(high: 1, low: 2), target: .item(NotificationID(high: 3, low: 4)),
      mutation: command.mutation, seen: seen.map { SequenceNumber($0) }, expect: expect)
  }

  /// The item as a cache has it, replaced two minutes after the start when `isReplaced`.
  static func item(
    isReplaced: Bool = false, _ change: (inout UserNotification) -> Void = { _ in }
  ) throws -> CachedItem {
    let account = AccountName("home")
    let cache = MemoryCache(
      identity: CacheIdentity(account: account, newLineage: { Lineage("lineage-1") }))
    let arrival = isReplaced ? start.advanced(by: .seconds(120)) : start
    let sequence = SequenceNumber(isReplaced ? 2 : 1)
    var item = UserNotification(
      id: NotificationID(high: 3, low: 4), shortNumber: 12, created: start, arrival: arrival,
      content: Content(app: "ci", visual: VisualContent(title: "Backup finished")),
      state: ItemState(sequence: sequence, contentSequence: sequence, changed: arrival))
    change(&item)
    let generation = try cache.syncState().generation
    _ = try cache.apply(
      ChangeChunk(
        request: .page(nil), generation: generation, changes: [.item(item)],
        end: .page(next: nil, start: DeltaToken("t"), startSequence: sequence)), now: start)
    return try #require(try cache.item(item.id))
  }

  static func clock(_ seconds: Int64) -> String {
    MomentText.moment(start.advanced(by: .seconds(seconds)), now: start)
  }

  @Test("an operation is described in one plain line")
  func lines() throws {
    let item = try Self.item()
    let now = Self.start
    func line(_ command: ItemCommand) -> String {
      OperationText.line(Self.operation(command), item: item, now: now)
    }
    #expect(line(.dismiss) == "dismiss #12 'Backup finished'")
    #expect(line(.activate) == "open #12 'Backup finished'")
    #expect(line(.unread) == "unread #12 'Backup finished'")
    #expect(line(.delete) == "delete #12 'Backup finished'")
    #expect(line(.pin) == "pin #12 'Backup finished'")
    #expect(line(.unpin) == "unpin #12 'Backup finished'")
    #expect(
      line(.snooze(until: now.advanced(by: .seconds(60))))
        == "snooze until \(Self.clock(60)) #12 'Backup finished'")
    var freeing = Self.operation(.dismiss)
    freeing.mutation = .set(StateChange(applied: .empty))
    #expect(
      OperationText.line(freeing, item: item, now: now) == "without rules #12 'Backup finished'")
    let undo = Self.operation(.restore, seen: nil, expect: OperationID(high: 9, low: 9))
    #expect(
      OperationText.line(undo, item: item, now: now)
        == "undo (back to the tray) #12 'Backup finished'")
    #expect(
      OperationText.line(Self.operation(.dismiss), number: 12, item: nil, now: now)
        == "dismiss #12, which is gone")
  }

  @Test("a line has no words of the item while titles and texts are hidden")
  func hidden() throws {
    let now = Self.start
    let choice = ActionChoice(id: "pay-alice", title: "Pay Alice")
    func operation(_ choice: ActionChoice) -> BellhopModel.Operation {
      BellhopModel.Operation(
        id: OperationID(high: 1, low: 2), target: .item(NotificationID(high: 3, low: 4)),
        mutation: .set(StateChange(choice: choice)), seen: SequenceNumber(1))
    }
    let item = try Self.item { item in
      item.content.extras.awaitsResponse = true
      item.state.userActionState = Register(.noInteraction).setting(
        .activated,
        change: RegisterChange(
          at: Self.start.advanced(by: .seconds(90)),
          by: Author(kind: .device, id: "l", name: "work-laptop"),
          operation: OperationID(high: 8, low: 8), choice: choice))
    }
    #expect(
      OperationText.line(Self.operation(.dismiss), item: item, now: now, hidesTexts: true)
        == "dismiss #12")
    #expect(
      OperationText.line(operation(choice), item: item, now: now, hidesTexts: true)
        == "choose an action of #12")
    func outcome(hidesTexts: Bool) -> String {
      OutcomeText.line(
        OutcomeRecord(
          position: 1, operation: operation(choice), number: 12, madeAt: now, decidedAt: now,
          result: .superseded), item: item, now: now, hidesTexts: hidesTexts)
    }
    #expect(
      outcome(hidesTexts: false)
        == "your choice 'Pay Alice' of \(Self.clock(0)) did not apply: "
        + "'Pay Alice' was chosen at \(Self.clock(90)) on work-laptop, and the first answer counts")
    #expect(
      outcome(hidesTexts: true)
        == "your choice of \(Self.clock(0)) did not apply: "
        + "another action was chosen at \(Self.clock(90)) on work-laptop, and the first answer counts"
    )
  }

  @Test("a change of a rule has the rule's name, if it is known and may be shown")
  func rules() {
    let now = Self.start
    let id = RuleID(high: 0x0198_c0de_0000_7000, low: 1)
    var actions = RuleActions()
    actions.isSilent = true
    let definition = RuleDefinition(
      name: "passed builds",
      condition: RuleCondition([.init(.app([ListFilter.NamePattern("ci")]))]), actions: actions)
    func operation(_ change: RuleChange) -> BellhopModel.Operation {
      Operation(
        id: OperationID(high: 1, low: 2), target: .rule(id), mutation: .changeRule(change),
        expect: OperationID(high: 1, low: 1))
    }
    func line(_ change: RuleChange, hidesTexts: Bool = false) -> String {
      OperationText.line(operation(change), item: nil, now: now, hidesTexts: hidesTexts)
    }
    let edit = RuleChange(definition: definition)
    #expect(line(edit) == "rule “passed builds”")
    #expect(line(edit, hidesTexts: true) == "rule 0198c0de")
    #expect(line(RuleChange(isEnabled: false)) == "rule 0198c0de")
    #expect(line(.removal) == "remove rule 0198c0de")
    func outcome(_ result: OperationResult) -> String {
      OutcomeText.line(
        OutcomeRecord(
          position: 1, operation: operation(edit), number: nil, madeAt: now, decidedAt: now,
          result: result), item: nil, now: now)
    }
    let what = "your change of the rule “passed builds” of \(Self.clock(0))"
    #expect(outcome(.superseded) == what + " did not apply: another device changed the rule first")
    #expect(outcome(.gone) == what + " was not needed: the rule was removed")
    #expect(
      outcome(.unacceptable(.tooManyRules)) == what + " did not apply: the store allows 200 rules.")
  }

  @Test("a rule that is applied has the name that its user confirmed, if it may be shown")
  func appliedRule() {
    let now = Self.start
    var actions = RuleActions()
    actions.isSilent = true
    let rule = RuleReference(
      id: RuleID(high: 0x0198_c0de_0000_7000, low: 1), revision: OperationID(high: 1, low: 1),
      definition: RuleDefinition(
        name: "passed builds",
        condition: RuleCondition([.init(.app([ListFilter.NamePattern("ci")]))]), actions: actions))
    let operation = Operation(
      id: OperationID(high: 1, low: 2), applying: rule, through: SequenceNumber(9), at: now)
    #expect(
      OperationText.line(operation, item: nil, now: now) == "apply rule “passed builds”")
    #expect(
      OperationText.line(operation, item: nil, now: now, hidesTexts: true)
        == "apply rule 0198c0de")
    let outcome = OutcomeText.line(
      OutcomeRecord(
        position: 1, operation: operation, number: nil, madeAt: now, decidedAt: now,
        result: .superseded), item: nil, now: now)
    #expect(
      outcome == "your application of the rule “passed builds” of \(Self.clock(0)) "
        + "changed nothing: the rule was changed or removed first")
  }

  @Test("a rejected operation shows when, and which device was first")
  func outcomes() throws {
    func text(
      _ operation: BellhopModel.Operation, _ result: OperationResult, _ item: CachedItem?
    ) -> String {
      OutcomeText.line(
        OutcomeRecord(
          position: 1, operation: operation, number: 12,
          madeAt: Self.start.advanced(by: .seconds(60)),
          decidedAt: Self.start.advanced(by: .seconds(180)), result: result), item: item,
        now: Self.start)
    }
    let dismiss = Self.operation(.dismiss)
    #expect(
      text(dismiss, .superseded, try Self.item(isReplaced: true))
        == "your dismiss of \(Self.clock(60)) did not apply: it was replaced at \(Self.clock(120)) by ci"
    )
    #expect(
      text(dismiss, .superseded, try Self.item())
        == "your dismiss of \(Self.clock(60)) did not apply: it was published again in the meantime"
    )
    #expect(
      text(dismiss, .gone, nil)
        == "your dismiss of \(Self.clock(60)) was not needed: the item was deleted or has expired")
    #expect(
      text(dismiss, .unacceptable(.invalid), try Self.item())
        == "your dismiss of \(Self.clock(60)) did not apply: the store refused it")
    #expect(
      text(dismiss, .outcomeUnknown, try Self.item())
        == "your dismiss of \(Self.clock(60)) may have been applied or not: "
        + "the store no longer knows. It will not be sent again")
    let mine = OperationID(high: 9, low: 9)
    let handled = try Self.item { item in
      item.state.userActionState = Register(.noInteraction).setting(
        .dismissed,
        change: RegisterChange(
          at: Self.start.advanced(by: .seconds(90)),
          by: Author(kind: .device, id: "l", name: "work-laptop"),
          operation: OperationID(high: 8, low: 8)))
    }
    #expect(
      text(Self.operation(.restore, seen: nil, expect: mine), .superseded, handled)
        == "your undo of \(Self.clock(60)) did nothing: it was dismissed at \(Self.clock(90)) on work-laptop"
    )
    let rule = RuleMark(
      id: RuleID(high: 5, low: 1), revision: OperationID(high: 5, low: 2), name: "passed builds")
    let ruled = try Self.item { item in
      item.state.userActionState = Register(.noInteraction).setting(
        .dismissed,
        change: RegisterChange(
          at: Self.start.advanced(by: .seconds(90)), by: Author(rule: rule),
          operation: OperationID(high: 8, low: 8)))
    }
    #expect(
      text(Self.operation(.restore, seen: nil, expect: mine), .superseded, ruled)
        == "your undo of \(Self.clock(60)) did nothing: it was dismissed at \(Self.clock(90)) by the rule passed builds"
    )
  }

  @Test("a publication is described by its title, with and without its item")
  func publications() throws {
    let content = Content(app: "home", visual: VisualContent(title: "Water the plants"))
    let publication = BellhopModel.Operation(
      id: OperationID(high: 1, low: 2), publishing: content, at: Self.start)
    #expect(
      OperationText.line(publication, item: nil, now: Self.start)
        == "publish #– 'Water the plants'")
    #expect(
      OperationText.line(publication, item: nil, now: Self.start, hidesTexts: true)
        == "publish #–")
    func outcome(
      _ operation: BellhopModel.Operation, _ result: OperationResult
    ) -> String {
      OutcomeText.line(
        OutcomeRecord(
          position: 1, operation: operation, number: nil, madeAt: Self.start,
          decidedAt: Self.start, result: result), item: nil, now: Self.start)
    }
    #expect(
      outcome(publication, .notPublished("not allowed: no"))
        == "your publication of \(Self.clock(0)) was not published: not allowed: no")
    #expect(
      outcome(publication, .unacceptable(.invalid))
        == "your publication of \(Self.clock(0)) did not apply: the store refused it")
    let version = ShownVersion(content: .zero, operation: publication.id)
    let dismiss = BellhopModel.Operation(
      id: OperationID(high: 1, low: 3), onShown: NotificationID(high: 1, low: 2), version,
      mutation: ItemCommand.dismiss.mutation)
    #expect(
      outcome(dismiss, .superseded)
        == "your dismiss of \(Self.clock(0)) did not apply: it was not published")
  }

  @Test(
    "the reason for waiting is known without asking the store",
    arguments: [
      (EngineObservation(isRunning: false, note: nil), "idle"),
      (EngineObservation(isRunning: true, note: nil), "connecting"),
      (EngineObservation(isRunning: true, note: Self.note(.live)), "sending"),
      (EngineObservation(isRunning: false, note: Self.note(.live)), "idle"),
      (EngineObservation(isRunning: true, note: Self.note(.offline(since: Self.start))), "offline"),
      (
        EngineObservation(isRunning: false, note: Self.note(.offline(since: Self.start))), "offline"
      ),
      (EngineObservation(isRunning: true, note: Self.note(.signInAgain)), "signedOut"),
      (EngineObservation(isRunning: true, note: Self.note(.live, busyUntil: Self.start)), "busy"),
      (EngineObservation(isRunning: true, note: Self.note(.live, problem: "no")), "failed"),
    ])
  func reasons(sight: EngineObservation, word: String) {
    #expect(WaitReason(.unsent, engine: sight).word == word)
    #expect(WaitReason(.held(until: Self.start), engine: sight).word == "grace")
    #expect(WaitReason(.answered, engine: sight).word == "settling")
  }

  static func note(
    _ connection: ConnectionState, problem: String? = nil, busyUntil: Timestamp? = nil
  ) -> EngineReport {
    EngineReport(connection: connection, problem: problem, busyUntil: busyUntil, written: start)
  }
}
