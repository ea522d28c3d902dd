package import BellhopModel
package import BellhopText

/// An action that an item carries, as the screen shows it and has it done.
package struct ItemAction: Hashable, Sendable {
  /// What choosing it does, beside being told.
  package enum Deed: Hashable, Sendable {
    case open(Link)
    /// Text that may be handed to a clipboard.
    case copy(String)
    case call(ActionCall)
    /// Asks for a line, and sends it there if there is anywhere.
    case reply(ActionCall?, placeholder: SafeText)
    case report
    /// It is shown and cannot be chosen, for this reason.
    case impossible(SafeText)
  }

  /// Names it within its item.
  package var id: String
  package var title: SafeText
  package var deed: Deed
  /// It takes something away.
  package var isDestructive: Bool
  package var asksFirst: Bool
  /// The item counts as dismissed by it, not as opened.
  package var clears: Bool

  /// More are not drawn; a store takes fewer.
  package static let countMax = 16
  static let titleBytesMax = 128

  package init(
    id: String, title: SafeText, deed: Deed, isDestructive: Bool = false, asksFirst: Bool = false,
    clears: Bool = false
  ) {
    self.id = id
    self.title = title
    self.deed = deed
    self.isDestructive = isDestructive
    self.asksFirst = asksFirst
    self.clears = clears
  }

  package init(_ action: ContentExtras.Action) {
    self.init(
      id: action.id, title: SafeText(action.title, byteLimit: Self.titleBytesMax),
      deed: Self.deed(of: action), isDestructive: action.has(.destructive),
      asksFirst: action.has(.confirm), clears: action.has(.clear))
  }

  private static func deed(of action: ContentExtras.Action) -> Deed {
    switch action.effect {
    case .open:
      guard let link = action.url.flatMap(Link.init) else {
        return .impossible("its link is none that is opened")
      }
      return .open(link)
    case .copy:
      let text = clipboardText(action.text ?? "")
      return text.isEmpty ? .impossible("it has no text to copy") : .copy(text)
    case .http: return call(action) { .call($0) }
    case .reply:
      let placeholder = SafeText(action.placeholder ?? "", byteLimit: titleBytesMax)
      if action.url == nil { return .reply(nil, placeholder: placeholder) }
      return call(action) { .reply($0, placeholder: placeholder) }
    case .report: return .report
    default:  // open: Kind
      return .impossible("this version does not know what it does")
    }
  }

  private static func call(
    _ action: ContentExtras.Action, _ deed: (ActionCall) -> Deed
  ) -> Deed {
    do throws(ActionCall.Fault) {
      return deed(try ActionCall(action))
    } catch {
      return .impossible("its request is wrong: expected " + SafeText(error.expectation))
    }
  }

  /// What may be pasted anywhere: no control characters but those of lines, nothing invisible that
  /// turns text around, and no line end behind it that would send it off.
  static func clipboardText(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control where scalar != "\n" && scalar != "\t": continue
      // Of these only what joins the parts of a picture, or of a word, is harmless.
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
  /// Where it goes, as a person is asked about it: the host in punycode, and how, if it can be read
  /// on the way.
  var place: SafeText { SafeText(url.isSecure ? url.authority : "http://" + url.authority) }

  /// The same with the path, as far as a question has room for it.
  var shownURL: SafeText {
    let path = url.target.prefix { $0 != "?" }
    return path == "/" ? place : place + SafeText(String(path)).truncated(to: 32)
  }
}

/// A request of an action that the person wants made.
package struct ActionRun: Hashable, Sendable {
  package var key: ItemKey
  /// The content that carries the action.
  package var seen: SequenceNumber
  package var action: ItemAction
  package var call: ActionCall
  /// What the person typed; it is the request's body then.
  package var text: String?

  package init(
    key: ItemKey, seen: SequenceNumber, action: ItemAction, call: ActionCall, text: String?
  ) {
    self.key = key
    self.seen = seen
    self.action = action
    self.call = call
    self.text = text
  }
}

/// What came of a request.
package enum ActionOutcome: Hashable, Sendable {
  /// Any status.
  case answered(Int)
  /// Why the request may not be made at all, after "Not sent: ", and what to do.
  case refused(SafeText)
  /// Why there is no answer, as a clause; and whether the request may have arrived.
  case failed(SafeText, mayBeDone: Bool)
}
