package import BellhopModel

/// An action as a publisher writes it. All dialects create `ContentExtras.Action` from it.
///
/// Reading JSON is lenient: `label` is an alias of `title`, the kind's case does not matter, an
/// option may also be a member of its own that is true, and a missing id is assigned. `textInput`
/// makes a reply, as in the UserNotifications framework. The store checks the limits of actions.
package struct ActionDraft: Hashable, Sendable, Codable {
  /// Nil for the action's position among all actions, from 1.
  package var id: String?
  /// The action, except for its id.
  package var action: ContentExtras.Action

  package init(
    id: String? = nil, title: String, kind: ContentExtras.Action.Kind? = nil,
    options: [String] = []
  ) {
    self.id = id
    action = ContentExtras.Action(
      id: id ?? "", title: title, kind: kind, options: options.isEmpty ? nil : options)
  }

  /// Returns an item's actions; nil for none. An action without an id is named by its position.
  package static func actions(_ drafts: [ActionDraft]) -> [ContentExtras.Action]? {
    let actions = drafts.enumerated().map { index, draft in
      var action = draft.action
      action.id = draft.id ?? String(index + 1)
      action.method = action.method?.uppercased()
      if action.headers?.isEmpty == true { action.headers = nil }
      return action
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
      id: try text(.id), title: title, kind: kind ?? (input == nil ? nil : .reply))
    var options = try container.decodeIfPresent([String].self, forKey: .options) ?? []
    action.url = try text(.url)
    action.text = try text(.text)
    action.method = try text(.method)
    action.headers = try container.decodeIfPresent([String: String].self, forKey: .headers)
    action.body = try text(.body)
    action.placeholder = try text(.placeholder) ?? input?.placeholder
    action.buttonTitle = try text(.buttonTitle) ?? input?.buttonTitle
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
    action.options = options.isEmpty ? nil : options
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(id, forKey: .id)
    try container.encode(action.title, forKey: .title)
    try container.encodeIfPresent(action.kind, forKey: .kind)
    try container.encodeIfPresent(action.options, forKey: .options)
    try container.encodeIfPresent(action.url, forKey: .url)
    try container.encodeIfPresent(action.text, forKey: .text)
    try container.encodeIfPresent(action.method, forKey: .method)
    try container.encodeIfPresent(action.headers, forKey: .headers)
    try container.encodeIfPresent(action.body, forKey: .body)
    try container.encodeIfPresent(action.placeholder, forKey: .placeholder)
    try container.encodeIfPresent(action.buttonTitle, forKey: .buttonTitle)
  }
}
