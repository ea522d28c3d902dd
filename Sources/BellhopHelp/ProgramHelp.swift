package import ArgumentParser
package import BellhopManual
internal import BellhopSettings
package import BellhopText

/// The `help` command of a program: its commands and the topics of its manual.
package struct ProgramHelp {
  private let root: any ParsableCommand.Type
  private let topics: [Topic]

  package init(_ root: any ParsableCommand.Type, topics: [Topic]) {
    self.root = root
    self.topics = topics
  }

  /// The answer to a request for help.
  package enum Answer: Hashable {
    case page(HelpPage)
    /// The word is neither a command nor a topic; the text says so and suggests the nearest name.
    case unknown(String)
  }

  /// Answers `help WORD…`.
  ///
  /// Without words, the page lists the commands and topics. A name of both a command and a topic
  /// shows the help of the command first.
  package func answer(_ words: [String], width: Int) -> Answer {
    guard let first = words.first else {
      return .page(
        HelpPage(
          commandHelp: root.helpMessage(columns: width) + "\n\n" + topicList(width: width),
          topic: nil))
    }
    let topic = topics.first { $0.name == first }
    var command = root
    for (index, word) in words.enumerated() {
      let commands = command.configuration.subcommands
      guard let next = commands.first(where: { Self.names(of: $0).contains(word) }) else {
        if index == 0, let topic {
          return words.count == 1
            ? .page(HelpPage(commandHelp: nil, topic: topic))
            : .unknown("\"\(first)\" is a topic, which has no commands.")
        }
        let topicNames = index == 0 ? topics.map(\.name) : []
        return .unknown(
          Self.unknown(
            word, known: commands.flatMap(Self.names) + topicNames, isFirst: index == 0))
      }
      command = next
    }
    return .page(
      HelpPage(
        commandHelp: root.helpMessage(for: command, columns: width),
        topic: words.count == 1 ? topic : nil))
  }

  /// Returns the commands and topics that a shell offers after `help`.
  ///
  /// - Parameters:
  ///   - words: All words of the line, with the program's name first.
  ///   - index: The index of the word to complete.
  package func completions(of words: [String], at index: Int) -> [Completion] {
    let path = words.prefix(max(0, index)).dropFirst(2)
    var command = root
    for word in path {
      let next = command.configuration.subcommands.first { Self.names(of: $0).contains(word) }
      guard let next else { return [] }
      command = next
    }
    let commands = command.configuration.subcommands.map { $0.configuration }
      .filter(\.shouldDisplay).map { Completion($0.commandName ?? "", SafeText($0.abstract)) }
    guard path.isEmpty else { return commands }
    let names = Set(commands.map(\.value))
    return commands
      + topics.filter { !names.contains($0.name) }.map { Completion($0.name, SafeText($0.title)) }
  }

  private static func unknown(_ word: String, known: [String], isFirst: Bool) -> String {
    let nearest = Spelling.nearest(word, in: known).map { " Did you mean \($0)?" } ?? ""
    let kinds = isFirst ? "a command or a topic" : "a command"
    return "\"\(word.prefix(64))\" is not \(kinds).\(nearest)"
  }

  private static func names(of command: any ParsableCommand.Type) -> [String] {
    let configuration = command.configuration
    return (configuration.commandName.map { [$0] } ?? []) + configuration.aliases
  }

  /// The list of topics, in the form in which the parser of arguments lists commands.
  private func topicList(width: Int) -> String {
    let nameWidth = (topics.map(\.name.count).max() ?? 0) + 4
    var text = "TOPICS:\n"
    for topic in topics {
      let room = max(20, width - nameWidth)
      for (index, line) in SafeText(topic.summary).wrapped(to: room).enumerated() {
        let name = index == 0 ? SafeText("  " + topic.name) : .empty
        text += (name.padded(to: nameWidth) + line).string + "\n"
      }
    }
    return text + "\n  See '\(topics.first?.program ?? "") help <topic>' to read a topic.\n"
  }
}

/// A page of help: the help of a command, a topic, or both.
package struct HelpPage: Hashable {
  let commandHelp: String?
  let topic: Topic?

  /// Returns the page in lines of at most `width` cells.
  package func text(width: Int, _ style: TextStyle) -> String {
    let help = commandHelp.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }
    let read = topic?.document.printed(width: width, style)
    return [help, read].compactMap(\.self).joined(separator: "\n")
  }
}
