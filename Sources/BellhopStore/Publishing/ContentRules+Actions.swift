internal import BellhopModel

extension ContentRules {
  /// Checks an item's actions: each must be complete and executable.
  func check(_ actions: [ContentExtras.Action]) throws {
    guard actions.count <= limits.actionsMax else {
      throw StoreError.invalid(
        field: "actions", expectation: "at most \(limits.actionsMax) actions")
    }
    guard Set(actions.map(\.id)).count == actions.count else {
      throw StoreError.invalid(field: "actions.id", expectation: "a different id for each action")
    }
    for action in actions { try check(action) }
  }

  private func check(_ action: ContentExtras.Action) throws {
    try checkName(action.id, "actions.id")
    try checkName(action.title, "actions.title")
    guard !action.title.allSatisfy(\.isWhitespace) else {
      throw StoreError.invalid(field: "actions.title", expectation: "a title that is not empty")
    }
    try checkURL(action.url, "actions.url")
    try checkName(action.placeholder, "actions.placeholder")
    try checkBytes(action.text ?? "", limits.actionTextBytesMax, "actions.text")
    try checkBytes(action.body ?? "", limits.actionTextBytesMax, "actions.body")
    guard (action.options ?? []).count <= limits.actionsMax else {
      throw StoreError.invalid(
        field: "actions.options", expectation: "at most \(limits.actionsMax) options")
    }
    for option in action.options ?? [] { try checkName(option, "actions.options") }
    try checkEffect(action)
  }

  private func checkEffect(_ action: ContentExtras.Action) throws {
    let makesRequest = action.kind == .http || action.kind == .reply && action.url != nil
    guard makesRequest || action.method == nil && action.headers == nil && action.body == nil
    else {
      throw StoreError.invalid(
        field: "actions", expectation: "method, headers and body only if the action sends a request"
      )
    }
    if makesRequest {
      do throws(ActionCall.FormatError) { _ = try ActionCall(action) } catch {
        throw StoreError.invalid(field: "actions." + error.field, expectation: error.expectation)
      }
    }
    switch action.kind {
    case .open? where !Self.isLink(action.url ?? ""):
      throw StoreError.invalid(
        field: "actions.url", expectation: "a link that begins with https://, http:// or mailto:")
    case .copy? where (action.text ?? "").isEmpty:
      throw StoreError.invalid(field: "actions.text", expectation: "the text to copy")
    case .reply? where action.body != nil:
      throw StoreError.invalid(
        field: "actions.body",
        expectation: "none: the text that the user types is the body of a reply")
    case let kind? where !ContentExtras.Action.Kind.known.contains(kind):
      throw StoreError.invalid(
        field: "actions.kind",
        expectation: ContentExtras.Action.Kind.known.map(\.rawValue).joined(separator: ", "))
    default: break  // open: Action.Kind?
    }
  }

  private static func isLink(_ url: String) -> Bool {
    let scheme = url.prefix(8).lowercased()
    return ["https://", "http://", "mailto:"].contains { scheme.hasPrefix($0) }
  }
}
