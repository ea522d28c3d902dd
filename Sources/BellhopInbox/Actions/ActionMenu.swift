import BellhopModel
import BellhopScreen
import BellhopText

/// The menu of an item's actions, of which the user chooses, completes and confirms one.
struct ActionMenu: Sendable {
  enum Step: Sendable {
    case choosing
    /// The user is typing a reply.
    case typing(TextField)
    /// A question has to be answered; carries the text typed before.
    case asking(text: String?)
  }

  var key: ItemKey
  var title: SafeText
  /// The content that carries the actions.
  var seen: ShownVersion
  var actions: [ItemAction]
  var selected = 0
  var step = Step.choosing

  /// The maximum size of a reply, in bytes: more than users type in one line, less than a store
  /// accepts.
  static let replyBytesMax = 1024

  var action: ItemAction { actions[selected] }
}

/// The action requests that are in progress.
struct ActionRuns: Sendable {
  private var runs: [ActionRun] = []

  /// Records a run.
  ///
  /// - Returns: false if the item's action is already in progress.
  mutating func begin(_ run: ActionRun) -> Bool {
    let order = run.order
    guard
      !runs.contains(where: { $0.order.key == order.key && $0.order.action.id == order.action.id })
    else { return false }
    runs.append(run)
    return true
  }

  mutating func end(_ run: ActionRun) { runs.removeAll { $0 == run } }
}

extension Command {
  static let actionCommands: [Command] = [actions]

  static let actions = Command(
    id: "actions", title: "actions", help: "choose one of its actions",
    synonyms: ["reply", "answer", "respond"], keys: ["."],
    places: .items, chapter: .finding, changesItems: true,
    footer: Footer(6, isUseful: { $0.hasKnownActions }),
    disabledReason: { $0.reasonAgainstItem },
    perform: { state, effects in state.openActions(&effects) })
}

extension InboxState {
  // MARK: - Opening

  /// Whether the item under the cursor is known to have actions.
  ///
  /// The rows of a list do not contain actions, so only the item that was read completely can be
  /// known to have any.
  fileprivate var hasKnownActions: Bool {
    guard let row = activeRow, let item = detail.value else { return false }
    return item.row.key == row.key && !item.actions.isEmpty
  }

  /// Requests the actions of the item under the cursor.
  fileprivate mutating func openActions(_ effects: inout [Effect]) {
    guard let row = subject() else { return }
    effects.append(.read(.actions(row.key)))
  }

  mutating func openActionMenu(_ detail: ItemDetail?, of key: ItemKey) {
    guard overlay.isNone, activeItem?.key == key, activeGhost == nil else { return }
    guard let detail, !detail.actions.isEmpty else {
      return say(
        activeRow?.clickURL == nil
          ? "This item has no actions."
          : "This item has no actions. " + keyHint(.openLink) + " opens its link.")
    }
    overlay = .menu(
      ActionMenu(
        key: key, title: "Actions · " + shownTitle(of: detail.row), seen: detail.row.version,
        actions: detail.actions))
  }

  // MARK: - Keys

  mutating func take(_ key: Key, in menu: ActionMenu, _ effects: inout [Effect]) {
    switch menu.step {
    case .choosing: takeChoice(key, menu, &effects)
    case .typing(let field): takeReply(key, field, menu, &effects)
    case .asking(let text): answer(key) { $0.carryOut(menu, text, &effects) }
    }
  }

  private mutating func takeChoice(
    _ key: Key, _ menu: ActionMenu, _ effects: inout [Effect]
  ) {
    switch menu.meaning(of: key) {
    case .leave: closeOverlay()
    case .take: choose(menu, menu.selected, &effects)
    case .number(let index): choose(menu, index, &effects)
    case .select(let index):
      var menu = menu
      menu.selected = index
      overlay = .menu(menu)
    case .other: break
    }
  }

  /// Takes an action; asks first for the input that it needs.
  mutating func choose(_ menu: ActionMenu, _ index: Int, _ effects: inout [Effect]) {
    guard menu.actions.indices.contains(index) else { return }
    var menu = menu
    menu.selected = index
    overlay = .menu(menu)
    switch menu.action.kind {
    case .impossible(let reason):
      say(menu.action.title + " cannot be chosen: " + reason + ".")
    case .reply:
      var field = TextField()
      field.limit = ActionMenu.replyBytesMax
      menu.step = .typing(field)
      overlay = .menu(menu)
    case .call: ask(menu, nil)
    case .open, .copy, .report: askIfNeeded(menu, nil, &effects)
    }
  }

  private mutating func takeReply(
    _ key: Key, _ field: TextField, _ menu: ActionMenu, _ effects: inout [Effect]
  ) {
    var (field, menu) = (field, menu)
    switch key {
    case .control("c"), .control("g"): return closeOverlay()
    case .escape: menu.step = .choosing
    case .backspace where field.text.isEmpty: menu.step = .choosing
    case .enter:
      guard field.text.contains(where: { !$0.isWhitespace }) else {
        return say("Type something first; Esc goes back.")
      }
      return askIfNeeded(menu, field.text, &effects)
    default:  // open: Key
      _ = field.take(key)
      menu.step = .typing(field)
    }
    overlay = .menu(menu)
  }

  private mutating func askIfNeeded(
    _ menu: ActionMenu, _ text: String?, _ effects: inout [Effect]
  ) {
    guard menu.action.asksFirst || menu.action.isDestructive else {
      return carryOut(menu, text, &effects)
    }
    ask(menu, text)
  }

  private mutating func ask(_ menu: ActionMenu, _ text: String?) {
    var menu = menu
    menu.step = .asking(text: text)
    overlay = .menu(menu)
  }

  // MARK: - Performing

  /// Performs an action, once the user has proved who they are if it needs that.
  private mutating func carryOut(
    _ menu: ActionMenu, _ text: String?, _ effects: inout [Effect]
  ) {
    closeOverlay()
    if let ghost = activeGhost, activeItem?.key == menu.key { return say(ghostText(ghost)) }
    let order = ActionOrder(key: menu.key, seen: menu.seen, action: menu.action, text: text)
    guard isCurrent(order) else { return }
    guard !order.action.needsAuthentication else {
      effects.append(.terminal(.authenticate(order)))
      return
    }
    perform(order, &effects)
  }

  /// Continues with an action that needed authentication.
  ///
  /// - Parameter failure: The reason why the user was not authenticated, as a clause.
  mutating func authenticated(
    _ order: ActionOrder, failure: SafeText?, _ effects: inout [Effect]
  ) {
    if let failure {
      notice = Notice(.error, order.action.title + ": " + failure + ". Nothing was done.")
      return
    }
    guard isCurrent(order) else { return }
    perform(order, &effects)
  }

  /// Returns whether the item still is as the user was shown it; says so if it is not.
  private mutating func isCurrent(_ order: ActionOrder) -> Bool {
    if let row = currentRow(order.key), row.version.isSame(as: order.seen) { return true }
    say("The item has changed. Nothing was done.")
    return false
  }

  private mutating func perform(_ order: ActionOrder, _ effects: inout [Effect]) {
    let action = order.action
    switch action.kind {
    case .impossible: break
    case .call(let call), .reply(let call?, _, _):
      run(ActionRun(order: order, call: call), &effects)
    case .open(let link):
      let handling = LinkOrder.Handling(key: order.key, seen: order.seen, action: action)
      effects.append(.item(.openLink(LinkOrder(link, handling: handling))))
    case .copy(let copied):
      effects.append(.terminal(.copy(copied)))
      tell(order, &effects)
      notice = Notice(
        .success,
        action.title + ": copied, and the item is marked "
          + (action.clears ? "dismissed. " : "opened. ") + keyHint(.undo) + " undoes it",
        brief: action.title + ": copied. " + keyHint(.undo) + " undoes it")
    case .reply(nil, _, _), .report:
      let link = currentRow(order.key)?.clickURL.flatMap(Link.init)
      tell(order, &effects)
      notice = Notice(
        .success,
        action.title
          + (action.isAnswer
            ? ": answered, on every device. Undo does not take the answer back."
            : ": chosen, on every device."),
        brief: action.title + (action.isAnswer ? ": answered. Undo keeps the answer." : ": chosen.")
      )
      guard action.opensItem else { return }
      if let link {
        effects.append(.item(.openLink(LinkOrder(link))))
      } else {
        goIntoDetail()
      }
    }
  }

  /// Sends the request, unless it is already in progress.
  private mutating func run(_ run: ActionRun, _ effects: inout [Effect]) {
    let title = run.order.action.title
    guard runs.begin(run) else { return say(title + " is already in progress.") }
    effects.append(.item(.runAction(run)))
    say(title + ": calling " + run.call.place + " …")
  }

  /// Reports the outcome of a request.
  ///
  /// Only a request that its host accepted counts as chosen; otherwise the item does not change,
  /// and the user can try again.
  mutating func finish(
    _ run: ActionRun, _ outcome: ActionOutcome, _ effects: inout [Effect]
  ) {
    runs.end(run)
    let (title, place) = (run.order.action.title, run.call.place)
    switch outcome {
    case .answered(let status) where (200..<300).contains(status):
      tell(run.order, &effects)
      notice = Notice(.success, title + ": \(String(status)) from " + place)
    case .answered(let status):
      let isElsewhere = (300..<400).contains(status)
      notice = Notice(
        .error,
        title + ": " + place + " answered \(String(status))"
          + (isElsewhere ? ", a redirect that is not followed" : .empty) + ". The item stays; "
          + keyHint(.actions) + " tries again.")
    case .refused(let reason):
      notice = Notice(.error, "Not sent: " + reason)
    case .failed(let reason, let mayBeDone):
      notice = Notice(
        .error,
        title + ": " + reason
          + (mayBeDone
            ? ". It may have succeeded: check there."
            : ". Nothing was sent; " + keyHint(.actions) + " tries again."))
    }
  }

  /// Performs the operation that records the chosen action.
  mutating func tell(_ order: ActionOrder, _ effects: inout [Effect]) {
    let action = order.action
    let change: ItemChange = action.clears ? .dismiss : .activate
    let choice = ActionChoice(
      id: action.id, title: action.revision == nil ? nil : action.title.string, text: order.text,
      revision: action.revision)
    if let row = currentRow(order.key), row.version.isSame(as: order.seen) {
      return act(change, on: row, choosing: choice, &effects)
    }
    let operation = Operation(
      id: ids.next(at: now), onShown: order.key.id, order.seen,
      mutation: change.mutation.choosing(choice))
    effects.append(.change(.perform(account: order.key.account, operations: [operation])))
  }
}
