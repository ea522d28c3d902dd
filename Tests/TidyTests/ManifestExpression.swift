/// A line of a manifest that the parser does not understand.
struct ManifestError: Error, Equatable, CustomStringConvertible {
  var line: Int
  var problem: String

  var description: String { "Package.swift:\(line): \(problem)" }
}

/// A word, a string or a punctuation mark of Swift, with its line.
struct ManifestToken: Equatable {
  enum Kind: Equatable {
    case word(String)
    case text(String)
    case mark(Character)
  }

  var kind: Kind
  var line: Int

  /// The tokens of a manifest, without comments.
  static func tokens(of source: String) throws -> [ManifestToken] {
    var found: [ManifestToken] = []
    for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      var rest = line
      while let first = rest.first {
        if rest.hasPrefix("//") { break }
        if first.isWhitespace {
          rest.removeFirst()
        } else if first == "\"" {
          let body = rest.dropFirst().prefix { $0 != "\"" }
          guard body.endIndex < rest.endIndex, !body.contains("\\"), !rest.hasPrefix("\"\"\"")
          else {
            throw ManifestError(line: index + 1, problem: "a string that is not a plain literal")
          }
          found.append(ManifestToken(kind: .text(String(body)), line: index + 1))
          rest = rest[body.endIndex...].dropFirst()
        } else if first.isLetter || first.isNumber || first == "_" {
          let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
          found.append(ManifestToken(kind: .word(String(word)), line: index + 1))
          rest = rest[word.endIndex...]
        } else {
          found.append(ManifestToken(kind: .mark(first), line: index + 1))
          rest.removeFirst()
        }
      }
    }
    return found
  }
}

/// A value in a manifest: a literal, a name, a list or a call, as far as manifests need them.
struct ManifestExpression: Equatable {
  struct Argument: Equatable {
    /// The label; empty for an argument without one.
    var label: String
    var value: ManifestExpression
  }

  enum Form: Equatable {
    case text(String)
    case name(String)
    case list([ManifestExpression])
    case call(String, [Argument])
  }

  var form: Form
  var line: Int
}

/// Reads values from the tokens of a manifest.
struct ManifestParser {
  private(set) var rest: ArraySlice<ManifestToken>
  private var line = 1

  init(_ source: String) throws { rest = try ManifestToken.tokens(of: source)[...] }

  var next: ManifestToken.Kind? { rest.first?.kind }
  /// The line of the next token; at the end, of the last one.
  var nextLine: Int { rest.first?.line ?? line }

  @discardableResult
  mutating func take() -> ManifestToken.Kind? {
    guard let token = rest.popFirst() else { return nil }
    line = token.line
    return token.kind
  }

  /// Removes the tokens if they come next, and returns whether they did.
  mutating func accept(_ kinds: ManifestToken.Kind...) -> Bool {
    guard rest.prefix(kinds.count).map(\.kind) == kinds else { return false }
    for _ in kinds { take() }
    return true
  }

  mutating func expression() throws -> ManifestExpression {
    let line = nextLine
    switch next {
    case .text(let text):
      take()
      return ManifestExpression(form: .text(text), line: line)
    case .mark("["):
      take()
      return ManifestExpression(
        form: .list(try list(until: "]") { try $0.expression() }), line: line)
    case .word, .mark("."):
      let name = try dottedName()
      guard accept(.mark("(")) else { return ManifestExpression(form: .name(name), line: line) }
      let arguments = try list(until: ")") { parser in
        ManifestExpression.Argument(label: parser.label(), value: try parser.expression())
      }
      return ManifestExpression(form: .call(name, arguments), line: line)
    case .mark, nil:
      throw ManifestError(line: line, problem: "not a literal, a name, a list or a call")
    }
  }

  private mutating func dottedName() throws -> String {
    var name = accept(.mark(".")) ? "." : ""
    repeat {
      guard case .word(let word) = take() else {
        throw ManifestError(line: line, problem: "not a name")
      }
      name += (name.isEmpty || name == "." ? "" : ".") + word
    } while accept(.mark("."))
    return name
  }

  private mutating func label() -> String {
    guard rest.count > 1, case .word(let word)? = next,
      rest[rest.startIndex + 1].kind == .mark(":")
    else { return "" }
    take()
    take()
    return word
  }

  private mutating func list<Element>(
    until end: Character, of element: (inout ManifestParser) throws -> Element
  ) throws -> [Element] {
    var elements: [Element] = []
    while !accept(.mark(end)) {
      elements.append(try element(&self))
      guard accept(.mark(",")) || next == .mark(end) else {
        throw ManifestError(line: nextLine, problem: "neither a comma nor \(end)")
      }
    }
    return elements
  }
}
