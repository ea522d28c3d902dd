package import BellhopModel
package import BellhopText

/// An action of an item, ready to be shown and performed.
package struct ItemAction: Hashable, Sendable {
  /// The effect of choosing the action, besides recording the choice.
  package enum Kind: Hashable, Sendable {
    case open(Link)
    /// Text that is safe to put on a clipboard.
    case copy(String)
    case call(ActionCall)
    /// Asks for a line, and sends it to the call if there is one.
    case reply(ActionCall?, placeholder: SafeText, button: SafeText = .empty)
    case report
    /// The action is shown but cannot be chosen, for this reason.
    case impossible(SafeText)
  }

  /// The id, unique within the item.
  package var id: String
  package var title: SafeText
  package var kind: Kind
  /// Whether the action removes something.
  package var isDestructive: Bool
  package var asksFirst: Bool
  /// Whether the action dismisses the item instead of opening it.
  package var clears: Bool
  /// Whether the item is opened before the action is performed.
  package var opensItem = false
  /// Whether the user proves who they are before the action is performed.
  package var needsAuthentication = false
  /// Whether choosing the action answers the app, which no undo takes back.
  package var isAnswer = false
  /// The revision of a category's action; nil for an action of the item itself.
  package var revision: SequenceNumber?

  /// The maximum number of actions that are drawn; a store accepts fewer.
  package static let countMax = 16
  static let titleBytesMax = 128

  package init(
    id: String, title: SafeText, kind: Kind, isDestructive: Bool = false, asksFirst: Bool = false,
    clears: Bool = false
  ) {
    self.id = id
    self.title = title
    self.kind = kind
    self.isDestructive = isDestructive
    self.asksFirst = asksFirst
    self.clears = clears
  }

  package init(_ action: ContentExtras.Action) {
    self.init(
      id: action.id, title: SafeText(action.title, byteLimit: Self.titleBytesMax),
      kind: Self.kind(of: action), isDestructive: action.has(.destructive),
      asksFirst: action.has(.confirm), clears: action.has(.clear))
    opensItem = action.has(.foreground)
    needsAuthentication = action.has(.authenticationRequired)
    revision = action.revision
  }

  private static func kind(of action: ContentExtras.Action) -> Kind {
    switch action.effect {
    case .open:
      guard let link = action.url.flatMap(Link.init) else {
        return .impossible("its link cannot be opened")
      }
      return .open(link)
    case .copy:
      let text = clipboardText(action.text ?? "")
      return text.isEmpty ? .impossible("it has no text to copy") : .copy(text)
    case .http: return call(action) { .call($0) }
    case .reply:
      let placeholder = SafeText(action.placeholder ?? "", byteLimit: titleBytesMax)
      let button = SafeText(action.buttonTitle ?? "", byteLimit: titleBytesMax)
      if action.url == nil { return .reply(nil, placeholder: placeholder, button: button) }
      return call(action) { .reply($0, placeholder: placeholder, button: button) }
    case .report: return .report
    default:  // open: Kind
      return .impossible("this version does not support it")
    }
  }

  private static func call(
    _ action: ContentExtras.Action, _ kind: (ActionCall) -> Kind
  ) -> Kind {
    do throws(ActionCall.FormatError) {
      return kind(try ActionCall(action))
    } catch {
      return .impossible("its request is not valid: expected " + SafeText(error.expectation))
    }
  }

  /// Cleans text so that it is safe to paste anywhere.
  ///
  /// Keeps no control characters except line feeds and tabs, no invisible characters that reorder
  /// text, and no trailing line break that would submit it.
  static func clipboardText(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control where scalar != "\n" && scalar != "\t": continue
      // Only the joiners of pictures and words are harmless.
      case .format where scalar != "\u{200D}" && scalar != "\u{200C}": continue
      case .lineSeparator, .paragraphSeparator: kept.append("\n")
      default: kept.append(scalar)  // open: Unicode.Scalar
      }
    }
    while kept.last?.properties.isWhitespace == true { kept.removeLast() }
    return String(kept)
  }
}

extension ActionCall {
  /// The destination in questions to the user: the host in punycode, with `http://` if it is
  /// unencrypted.
  package var place: SafeText { SafeText(url.isSecure ? url.authority : "http://" + url.authority) }

  /// The destination with its path, shortened to fit into a question.
  var shownURL: SafeText {
    let path = url.target.prefix { $0 != "?" }
    return path == "/" ? place : place + SafeText(String(path)).truncated(to: 32)
  }
}

/// An action that the user wants to perform.
package struct ActionOrder: Hashable, Sendable {
  package var key: ItemKey
  /// The content that carries the action.
  package var seen: ShownVersion
  package var action: ItemAction
  /// The text that the user typed.
  package var text: String?

  package init(key: ItemKey, seen: ShownVersion, action: ItemAction, text: String? = nil) {
    self.key = key
    self.seen = seen
    self.action = action
    self.text = text
  }
}

/// A request of an action that the user wants to send.
package struct ActionRun: Hashable, Sendable {
  /// The action; its text becomes the request's body.
  package var order: ActionOrder
  package var call: ActionCall

  package init(order: ActionOrder, call: ActionCall) {
    self.order = order
    self.call = call
  }
}

/// The outcome of a request.
package enum ActionOutcome: Hashable, Sendable {
  /// The host answered, with any status.
  case answered(Int)
  /// The request was not allowed: the reason, to be shown after "Not sent: ", and the remedy.
  case refused(SafeText)
  /// No answer arrived: the reason as a clause, and whether the host may have received the request.
  case failed(SafeText, mayBeDone: Bool)
}
