package import BellhopModel

/// An action as a publisher writes it. All dialects create `ContentExtras.Action` from it.
///
/// Reading JSON is lenient: `label` is an alias of `title`, the kind's case does not matter, an
/// option may also be a member of its own that is true, and a missing id is assigned. `textInput`
/// makes a reply, as in the UserNotifications framework. The store checks the limits of actions.
package struct ActionDraft: Hashable, Sendable, Codable {
  /// Nil for the action's position among all actions, from 1.
  package var id: String?
  package var title: String
  package var kind: ContentExtras.Action.Kind?
  package var options: [String]
  package var url: String?
  package var text: String?
  package var method: String?
  package var headers: [String: String]
  package var body: String?
  package var placeholder: String?
  package var buttonTitle: String?

  package init(
    id: String? = nil, title: String, kind: ContentExtras.Action.Kind? = nil,
    options: [String] = [], url: String? = nil, text: String? = nil, method: String? = nil,
    headers: [String: String] = [:], body: String? = nil, placeholder: String? = nil,
    buttonTitle: String? = nil
  ) {
    self.id = id
    self.title = title
    self.kind = kind
    self.options = options
    self.url = url
    self.text = text
    self.method = method
    self.headers = headers
    self.body = body
    self.placeholder = placeholder
    self.buttonTitle = buttonTitle
  }

  /// Returns an item's actions; nil for none. An action without an id is named by its position.
  package static func actions(_ drafts: [ActionDraft]) -> [ContentExtras.Action]? {
    let actions = drafts.enumerated().map { index, draft in
      ContentExtras.Action(
        id: draft.id ?? String(index + 1), title: draft.title, kind: draft.kind,
        options: draft.options.isEmpty ? nil : draft.options, url: draft.url, text: draft.text,
        method: draft.method?.uppercased(),
        headers: draft.headers.isEmpty ? nil : draft.headers, body: draft.body,
        placeholder: draft.placeholder, buttonTitle: draft.buttonTitle)
    }
    return actions.isEmpty ? nil : actions
  }

  private enum CodingKeys: String, CodingKey {
    case id, title, label, kind, options, url, text, method, headers, body, placeholder
    case buttonTitle, textInput, clear, destructive, confirm, foreground, authenticationRequired
  }

  private struct TextInput: Decodable {
    var buttonTitle: String?
    var placeholder: String?
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func text(_ key: CodingKeys) throws -> String? {
      try container.decodeIfPresent(String.self, forKey: key)
    }
    guard let title = try text(.title) ?? text(.label) else {
      throw DecodingError.keyNotFound(
        CodingKeys.title,
        DecodingError.Context(
          codingPath: container.codingPath, debugDescription: "expected a title"))
    }
    let input = try container.decodeIfPresent(TextInput.self, forKey: .textInput)
    let kind = try text(.kind).map { ContentExtras.Action.Kind(rawValue: $0.lowercased()) }
    self.init(
      id: try text(.id), title: title, kind: kind ?? (input == nil ? nil : .reply),
      options: try container.decodeIfPresent([String].self, forKey: .options) ?? [],
      url: try text(.url), text: try text(.text), method: try text(.method),
      headers: try container.decodeIfPresent([String: String].self, forKey: .headers) ?? [:],
      body: try text(.body), placeholder: try text(.placeholder) ?? input?.placeholder,
      buttonTitle: try text(.buttonTitle) ?? input?.buttonTitle)
    let members: [(CodingKeys, ContentExtras.Action.Option)] = [
      (.clear, .clear), (.destructive, .destructive), (.confirm, .confirm),
      (.foreground, .foreground), (.authenticationRequired, .authenticationRequired),
    ]
    for (key, option) in members {
      guard try container.decodeIfPresent(Bool.self, forKey: key) == true,
        !options.contains(option.rawValue)
      else { continue }
      options.append(option.rawValue)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(id, forKey: .id)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(kind?.rawValue, forKey: .kind)
    if !options.isEmpty { try container.encode(options, forKey: .options) }
    try container.encodeIfPresent(url, forKey: .url)
    try container.encodeIfPresent(text, forKey: .text)
    try container.encodeIfPresent(method, forKey: .method)
    if !headers.isEmpty { try container.encode(headers, forKey: .headers) }
    try container.encodeIfPresent(body, forKey: .body)
    try container.encodeIfPresent(placeholder, forKey: .placeholder)
    try container.encodeIfPresent(buttonTitle, forKey: .buttonTitle)
  }
}
