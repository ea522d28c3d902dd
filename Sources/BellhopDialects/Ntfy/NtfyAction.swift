internal import BellhopModel
internal import BellhopServer
internal import BellhopWire

/// A button of an ntfy publication, as JSON or in the short form of a header.
///
/// An example of the short form: `view, Open, https://nas.local, clear=true; http, Stop,
/// https://nas.local/stop, method=PUT`.
struct NtfyAction {
  private var values: [String: String] = [:]
  private var headers: [String: String] = [:]

  /// Parses the actions of a publication's parameter.
  ///
  /// - Throws: `RequestError` for any other text.
  static func drafts(_ text: String) throws -> [ActionDraft] {
    let actions = text.first == "[" ? try parse(json: text) : try parse(short: text)
    return try actions.enumerated().map { try $1.draft(place: $0 + 1) }
  }

  private static func fault(_ detail: String) -> RequestError { .ntfy(.actions, detail) }

  // MARK: - JSON

  private static func parse(json text: String) throws -> [NtfyAction] {
    guard let value = try? JSONValue(parsing: Array(text.utf8)), case .array(let elements) = value
    else { throw fault("the JSON cannot be read") }
    return try elements.map { element in
      guard case .object(let members) = element else { throw fault("expected objects") }
      var action = NtfyAction()
      for (name, value) in members {
        if name == "headers", case .object(let headers) = value {
          for (header, value) in headers { action.headers[header] = value.text }
        } else if case .object = value {
          // The extras of an Android intent have no meaning elsewhere.
          continue
        } else {
          action.values[name] = try NtfyParameters.text(value, name)
        }
      }
      return action
    }
  }

  // MARK: - The short form

  private static func parse(short text: String) throws -> [NtfyAction] {
    var scanner = Scanner(rest: text[...])
    var actions: [NtfyAction] = []
    while !scanner.isAtEnd {
      var action = NtfyAction()
      var place = 0
      while let (name, value) = try scanner.field() {
        if let name {
          action.set(name, value)
        } else {
          guard place < 3 else { throw fault("\(value.prefix(32)) needs a name, such as url=…") }
          action.set(["action", "label", "third"][place], value)
          place += 1
        }
      }
      actions.append(action)
    }
    return actions
  }

  private mutating func set(_ name: String, _ value: String) {
    if name.hasPrefix("headers.") {
      headers[String(name.dropFirst("headers.".count))] = value
    } else {
      values[name.lowercased()] = value
    }
  }

  /// A scanner of the short form.
  private struct Scanner {
    var rest: Substring

    var isAtEnd: Bool { rest.allSatisfy { $0 == " " } }

    /// Returns the next field of this action and its name, if any; nil after the last field.
    mutating func field() throws -> (name: String?, value: String)? {
      rest = rest.drop { $0 == " " }
      guard let first = rest.first else { return nil }
      if first == ";" {
        rest.removeFirst()
        return nil
      }
      let name = name()
      rest = rest.drop { $0 == " " }
      let value = try rest.first.map { $0 == "'" || $0 == "\"" } == true ? quoted() : plain()
      if rest.first == "," { rest.removeFirst() }
      return (name, value)
    }

    private mutating func name() -> String? {
      let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }
      let behind = rest.dropFirst(name.count).drop { $0 == " " }
      guard !name.isEmpty, behind.first == "=" else { return nil }
      rest = behind.dropFirst()
      return String(name)
    }

    private mutating func plain() -> String {
      let value = rest.prefix { $0 != "," && $0 != ";" }
      rest = rest.dropFirst(value.count)
      return value.trimmed
    }

    private mutating func quoted() throws -> String {
      let quote = rest.removeFirst()
      var value = ""
      while let character = rest.popFirst() {
        if character == "\\", rest.first == quote || rest.first == "\\" {
          value.append(rest.removeFirst())
        } else if character == quote {
          rest = rest.drop { $0 == " " }
          guard rest.isEmpty || rest.first == "," || rest.first == ";" else {
            throw NtfyAction.fault("expected ',' or ';' after a quoted value")
          }
          return value
        } else {
          value.append(character)
        }
      }
      throw NtfyAction.fault("a quoted value has no closing quote")
    }
  }

  // MARK: - Meaning

  private func value(_ name: String) -> String? {
    guard let value = values[name]?.trimmed, !value.isEmpty else { return nil }
    return value
  }

  /// Converts the button to an action of the store.
  ///
  /// A broadcast is reported to the publisher's web hooks. A link that no terminal opens can be
  /// copied.
  private func draft(place: Int) throws -> ActionDraft {
    guard let label = value("label") else { throw Self.fault("action \(place) has no label") }
    var draft = ActionDraft(id: value("id"), title: label)
    if ["true", "yes", "1"].contains(value("clear")?.lowercased() ?? "") {
      draft.action.options = [ContentExtras.Action.Option.clear.rawValue]
    }
    switch value("action")?.lowercased() {
    case "view":
      guard let url = value("url") ?? value("third") else {
        throw Self.fault("action \(place) has no url")
      }
      let isOpened = ["https://", "http://", "mailto:"].contains {
        url.prefix(8).lowercased().hasPrefix($0)
      }
      draft.action.kind = isOpened ? .open : .copy
      if isOpened { draft.action.url = url } else { draft.action.text = url }
    case "http":
      guard let url = value("url") ?? value("third") else {
        throw Self.fault("action \(place) has no url")
      }
      draft.action.kind = .http
      draft.action.url = url
      draft.action.method = value("method")
      draft.action.headers = headers
      draft.action.body = values["body"]
    case "copy":
      draft.action.kind = .copy
      draft.action.text = value("value") ?? value("third")
    case "broadcast": draft.action.kind = .report
    default:  // open: String?
      throw Self.fault("action \(place) is not one of view, http, copy and broadcast")
    }
    return draft
  }
}

extension ContentExtras.Action {
  /// The action in ntfy's format; nil for a kind that ntfy does not have.
  var ntfy: JSONValue? {
    var members: [String: JSONValue] = [
      "id": .string(id), "label": .string(title), "clear": .bool(has(.clear)),
    ]
    switch effect {
    case .open:
      members["action"] = "view"
      members["url"] = url.map { .string($0) }
    case .http:
      members["action"] = "http"
      members["url"] = url.map { .string($0) }
      members["method"] = .string(method ?? "POST")
      if let headers { members["headers"] = .object(headers.mapValues { .string($0) }) }
      members["body"] = body.map { .string($0) }
    case .copy:
      members["action"] = "copy"
      members["value"] = text.map { .string($0) }
    default: return nil  // open: Action.Kind
    }
    return .object(members)
  }
}
