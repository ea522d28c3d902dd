package import BellhopClient
internal import BellhopSettings

/// The commands of `bellhop`, which write data to standard output and messages to standard error.
package enum Commands {
  /// Returns the error for a first argument that is not a command.
  ///
  /// - Parameter known: The names of all commands.
  package static func unknownCommand(_ name: String, known: [String]) -> ClientError {
    let nearest = name == "version" ? "--version" : Spelling.nearest(name, in: known)
    let meant = nearest.map { " Did you mean \($0)?" } ?? ""
    return ClientError(
      .usage, "\"\(name.prefix(64))\" is not a command.\(meant)",
      next: "bellhop --help lists the commands.")
  }
}
