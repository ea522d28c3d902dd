internal import BellhopCache
package import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

extension Commands {
  /// The options of `bellhop choose`.
  package struct ChoiceRequest: Sendable, Hashable {
    package var item: String
    /// The id or the title of the action; nil to list the actions.
    package var action: String?
    package var text: String?
    package var isConfirmed: Bool
    package var waits: Bool

    package init(item: String, action: String?, text: String?, isConfirmed: Bool, waits: Bool) {
      self.item = item
      self.action = action
      self.text = text
      self.isConfirmed = isConfirmed
      self.waits = waits
    }
  }

  /// Runs `bellhop choose`, which chooses an action of an item, or lists its actions.
  ///
  /// - Throws: `ClientError` if the item has no such action, or the action fails. Then the item does
  ///   not change.
  package static func choose(_ context: ClientContext, _ request: ChoiceRequest) throws {
    let access = try CacheAccess(context, startsStore: false)
    _ = try access.freshen(isOffline: false)
    let item = try access.item(named: request.item)
    let category = try access.reader().category(of: item.notification)
    let actions = item.notification.actions(with: category)
    let label = item.notification.numberOrID
    guard let name = request.action else {
      if actions.isEmpty { StandardError.say("\(label) has no actions.") }
      for action in actions { StandardOutput.line(line(action)) }
      return
    }
    guard let chosen = action(named: name, in: actions) else {
      throw ClientError(
        .usage, "\(label) has no action \"\(name.prefix(64))\".",
        next: actions.isEmpty
          ? "Nothing was done."
          : "Use one of " + actions.map(\.id).joined(separator: ", ") + ". Nothing was done.")
    }
    let action = ItemAction(chosen)
    try check(request.text, for: action)
    guard try isConfirmed(action, request) else { return StandardError.say("Nothing was done.") }
    if action.needsAuthentication, let reason = Authenticator(context).authenticate() {
      throw ClientError(.notAllowed, "\(chosen.title): \(reason).", next: "Nothing was done.")
    }
    try perform(action, request.text, on: item, access)
    try change(
      access, action.clears ? .dismiss : .activate, item,
      choosing: ActionChoice(chosen, text: request.text), waits: request.waits)
  }

  /// Returns a line such as `answer  Answer…  sends your text to your devices and the app`.
  private static func line(_ action: ContentExtras.Action) -> SafeText {
    let shown = ItemAction(action)
    return SafeText(action.id).padded(to: 16) + " " + shown.label.padded(to: 24) + " "
      + shown.words
  }

  private static func action(
    named name: String, in actions: [ContentExtras.Action]
  ) -> ContentExtras.Action? {
    actions.first { $0.id == name }
      ?? actions.first { $0.title.lowercased() == name.lowercased() }
  }

  /// Checks that an action has the text that it needs, and no other one.
  private static func check(_ text: String?, for action: ItemAction) throws {
    let isEmpty = text?.allSatisfy(\.isWhitespace) ?? true
    switch action.kind {
    case .impossible(let reason):
      throw ClientError(
        .usage, "\(action.title.string) cannot be chosen: \(reason.string).",
        next: "Nothing was done.")
    case .reply:
      guard isEmpty else { return }
      throw ClientError(
        .usage, "\(action.title.string) needs a text.",
        next: "Use --text \"your answer\". Nothing was done.")
    case .open, .copy, .call, .report:
      guard text != nil else { return }
      throw ClientError(
        .usage, "\(action.title.string) takes no text.",
        next: "Leave out --text. Nothing was done.")
    }
  }

  private static func isConfirmed(_ action: ItemAction, _ request: ChoiceRequest) throws -> Bool {
    let isRequest = if case .call = action.kind { true } else { false }
    guard !request.isConfirmed, isRequest || action.asksFirst || action.isDestructive else {
      return true
    }
    if let answer = Question.agrees(action.question) { return answer }
    throw ClientError(
      .usage, "\(action.title.string) asks for confirmation, and standard input is not a terminal.",
      next: "Use --yes to confirm it. Nothing was done.")
  }

  /// Performs the part of an action that reaches beyond the store.
  private static func perform(
    _ action: ItemAction, _ text: String?, on item: CachedItem, _ access: CacheAccess
  ) throws {
    switch action.kind {
    case .open(let link): StandardOutput.line(SafeText(link.url, byteLimit: Link.bytesMax))
    case .copy(let text):
      StandardOutput.line(SafeText(text, lineBreaks: .kept, byteLimit: SafeText.bodyBytesMax))
    case .call(let call), .reply(let call?, _, _):
      let run = ActionRun(
        order: ActionOrder(
          key: ItemKey(account: access.account.name, id: item.id), seen: item.version,
          action: action, text: text),
        call: call)
      let caller = ActionCaller(access.context)
      let outcome = try runBlocking { await caller.outcome(of: run) }
      switch outcome {
      case .answered(let status) where (200..<300).contains(status): break
      case .answered(let status):
        throw ClientError(
          .storeUnavailable, "\(call.place.string) answered \(status).",
          next: "The item was not changed.")
      case .refused(let reason):
        throw ClientError(
          .notAllowed, "Not sent: \(reason.string)", next: "The item was not changed.")
      case .failed(let reason, let mayBeDone):
        throw ClientError(
          .storeUnavailable, "\(action.title.string): \(reason.string).",
          next: mayBeDone
            ? "It may have succeeded: check there. The item was not changed."
            : "The item was not changed.")
      }
    case .reply(nil, _, _), .report, .impossible: break
    }
  }
}
