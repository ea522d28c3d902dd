package import BellhopModel

extension RuleCondition {
  /// The condition as its user would type it, in one form for each condition.
  ///
  /// ``RulePhrase`` parses it back. A pattern may then have a backslash before a slash that had none,
  /// which means the same.
  package var phrase: String { terms.map(\.written).joined(separator: " ") }
}

extension RuleCondition.Term {
  fileprivate var written: String { (isNegated ? "-" : "") + test.written }
}

extension RuleCondition.Test {
  fileprivate var written: String {
    switch self {
    case .app(let patterns): RulePhrase.written(.app, patterns)
    case .group(let patterns): RulePhrase.written(.group, patterns)
    case .tag(let patterns): RulePhrase.written(.tag, patterns)
    case .level(let comparison, let level):
      RulePhrase.Field.level.start + (comparison == .equal ? "" : comparison.rawValue) + level.name
    case .pattern(let part, let expression):
      "\(part.rawValue)~/\(RulePhrase.withEscapedSlashes(expression.pattern))/"
    case .phrase(let phrase): RulePhrase.written(word: phrase.text)
    }
  }
}

extension RulePhrase {
  fileprivate static func written(_ field: Field, _ patterns: [ListFilter.NamePattern]) -> String {
    field.start + patterns.map { written(name: $0.written) }.joined(separator: ",")
  }

  /// Returns a name as a value of a field, in quotes if necessary.
  static func written(name: String) -> String {
    let needsQuotes = name.unicodeScalars.contains {
      $0.properties.isWhitespace || $0 == "," || quotes.contains($0)
    }
    return needsQuotes ? quoted(name, escaping: quotes + ["\\", ","]) : name
  }

  /// Returns a word or phrase as a term, in quotes if it would mean something else without them.
  fileprivate static func written(word: String) -> String {
    let tokens = FilterToken.tokens(of: word, in: .condition)
    // A sign alone is a word only at the end of a text.
    let isPlain =
      tokens.count == 1 && tokens[0].field == nil && !tokens[0].isNegated
      && !tokens[0].wasQuoted && tokens[0].value.utf8.elementsEqual(word.utf8)
      && word != "-" && word != "!"
    return isPlain ? word : quoted(word, escaping: quotes + ["\\"])
  }

  private static let quotes: [Unicode.Scalar] = ["\"", "“", "”"]

  private static func quoted(_ text: String, escaping special: [Unicode.Scalar]) -> String {
    var written = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if special.contains(scalar) { written.append("\\") }
      written.append(scalar)
    }
    return "\"" + String(written) + "\""
  }
}

extension RuleActions {
  /// The actions in words, in one line: `level low, silent, tag ci, until 18:00, stop`.
  package var phrase: String {
    var words: [String] = []
    if let level { words.append("level \(level.name)") }
    if isSilent { words.append("silent") }
    words += tags.map { "tag \($0)" }
    if let group { words.append("group \(group)") }
    if let app { words.append("move to \(app)") }
    if marksRead { words.append("read") }
    if dismisses { words.append("dismiss") }
    switch snooze {
    case .for(let duration): words.append("for \(duration.inUnits)")
    case .until(let time): words.append("until \(time)")
    case nil: break
    }
    if pins { words.append("pin") }
    switch collapse {
    case .exact: words.append("collapse")
    case .ignoringNumbers: words.append("collapse ignoring numbers")
    case nil: break
    }
    if stops { words.append("stop") }
    return words.joined(separator: ", ")
  }
}

extension Duration {
  /// The whole seconds with units, such as `1h30m`.
  fileprivate var inUnits: String {
    var rest = components.seconds
    var text = ""
    for (name, seconds) in [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)] as [(String, Int64)]
    where rest >= seconds {
      text += "\(rest / seconds)\(name)"
      rest %= seconds
    }
    return text
  }
}
