internal import BellhopClient
internal import BellhopModel
internal import BellhopWire

/// An action as the user writes it after `--action`.
///
/// It consists of the kind, the button's label and the kind's values, separated by commas:
/// `open,Label,URL`, `copy,Label,TEXT`, `http,Label,POST URL[,body]`, `reply,Label[,URL]`,
/// `report,Label`. Only the last part may contain commas. Options follow the kind:
/// `http+clear+confirm`.
enum ActionPhrase {
  private static let forms =
    "open,Label,URL · copy,Label,TEXT · http,Label,POST URL[,body] · reply,Label[,URL] · report,Label"

  /// - Throws: `ClientError` that names the accepted forms.
  static func draft(_ text: String) throws -> ActionDraft {
    let parts = text.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
      .map(\.trimmed)
    let words = parts[0].split(separator: "+", omittingEmptySubsequences: false).map(\.trimmed)
    let kind = ContentExtras.Action.Kind(rawValue: words[0].lowercased())
    guard ContentExtras.Action.Kind.known.contains(kind) else {
      throw misfit(text, "its kind must be open, copy, http, reply or report")
    }
    let options = try words.dropFirst().map { word in
      let options = ContentExtras.Action.Option.allCases
      guard let option = options.first(where: { $0.rawValue.lowercased() == word.lowercased() })
      else {
        throw misfit(
          text,
          "only \(options.map { "+" + $0.rawValue }.joined(separator: ", ")) may follow the kind")
      }
      return option.rawValue
    }
    guard parts.count > 1, !parts[1].isEmpty else { throw misfit(text, "it has no label") }
    var draft = ActionDraft(title: parts[1], kind: kind, options: options)
    let rest = parts.count > 2 && !parts[2].isEmpty ? parts[2] : nil
    switch (kind, rest) {
    case (.open, let url?): draft.action.url = url
    case (.copy, let text?): draft.action.text = text
    case (.http, let rest?): try read(rest, into: &draft, of: text)
    case (.reply, let url): draft.action.url = url
    case (.report, nil): break
    case (.open, nil): throw misfit(text, "it has no link")
    case (.copy, nil): throw misfit(text, "it has no text to copy")
    case (.http, nil): throw misfit(text, "it has no request, such as POST https://ci.example/run")
    default: throw misfit(text, "report takes only a label")  // open: (Kind, String?)
    }
    return draft
  }

  /// Reads a request such as `POST https://ci.example/run,body`. The default method is `POST`.
  private static func read(
    _ request: String, into draft: inout ActionDraft, of text: String
  ) throws {
    let parts = request.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    let words = parts[0].split(separator: " ").map(String.init)
    switch words.count {
    case 1: draft.action.url = words[0]
    case 2: (draft.action.method, draft.action.url) = (words[0].uppercased(), words[1])
    default: throw misfit(text, "its request must be a method and a URL")  // open: Int
    }
    if parts.count > 1 { draft.action.body = String(parts[1]) }
  }

  private static func misfit(_ text: String, _ reason: String) -> ClientError {
    ClientError(
      .usage, "--action '\(text.prefix(64))': \(reason).",
      next: "Nothing was published. Use " + forms + ".")
  }
}
