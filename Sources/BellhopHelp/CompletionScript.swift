package import ArgumentParser

/// The script that completes the commands of a program in a shell.
package struct CompletionScript {
  let text: String

  /// The option of the parser that prints the script.
  private static let option = "--generate-completion-script"
  /// The summary of the parser's own `help` command.
  private static let parsersHelp = "Show subcommand help information."

  /// Creates the parser's script without the parser's own `help` command.
  ///
  /// The parser always adds that command, which completes nothing. It would replace the command of
  /// the program.
  package init(of root: any ParsableCommand.Type, for shell: CompletionShell) {
    var lines = root.completionScript(for: shell)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let function = "_\(root.configuration.commandName ?? "")_help() {"
    if let start = lines.lastIndex(of: function), start != lines.firstIndex(of: function),
      let end = lines[start...].firstIndex(of: "}")
    {
      lines.removeSubrange(start...end)
    }
    text = lines.filter { !$0.contains(Self.parsersHelp) }.joined(separator: "\n")
      .replacing("|help|help)", with: "|help)").replacing(" help help'", with: " help'")
  }

  /// Creates the script that the arguments ask for.
  ///
  /// Nil if they ask for something else, or for a shell that the parser does not know.
  package init?(of root: any ParsableCommand.Type, requestedBy arguments: [String]) {
    guard let first = arguments.first, first.hasPrefix(Self.option) else { return nil }
    let shell: CompletionShell?
    if first == Self.option {
      shell = arguments.count > 1 ? CompletionShell(rawValue: arguments[1]) : .autodetected()
    } else {
      shell = CompletionShell(rawValue: String(first.dropFirst(Self.option.count + 1)))
    }
    guard let shell else { return nil }
    self.init(of: root, for: shell)
  }

  /// Writes the script to standard output.
  package func print() { HelpOutput.write(text + "\n") }
}
