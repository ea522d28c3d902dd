package import BellhopInbox
internal import BellhopText
internal import Glibc

extension ProgramName {
  /// The command with which the user calls this program.
  package static let own = ProgramName(
    SafeText(
      called(
        by: CommandLine.arguments.first ?? "", environment: ClientContext.processEnvironment(),
        executable: executable),
      byteLimit: SafeText.bodyBytesMax))

  /// The full path of the running program; nil if the system does not provide it.
  static var executable: String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard length > 0 else { return nil }
    let path = String(decoding: buffer[0..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // The kernel adds this mark if the program was rebuilt while it runs.
    let mark = " (deleted)"
    return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
  }

  /// Returns `bellhop` if a shell finds this program by that name, otherwise the path.
  ///
  /// - Parameters:
  ///   - argument: The program's argument 0.
  ///   - executable: Its full path, if known.
  static func called(
    by argument: String, environment: [String: String], executable: String?
  ) -> String {
    let found = ChildProcess.find(usualName, environment: environment)
    guard let executable else { return argument.contains("/") ? quoted(argument) : usualName }
    if let found, found == executable || isSameFile(found, executable) { return usualName }
    return quoted(argument.contains("/") ? argument : executable)
  }

  private static let usualName = "bellhop"

  private static func isSameFile(_ path: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(path, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
  }

  /// Quotes a text as one word of a shell, if it is not one already.
  package static func quoted(_ text: String) -> String {
    let isPlain = text.allSatisfy { character in
      character.isLetter || character.isNumber || "/._-+,:@%".contains(character)
    }
    if isPlain, !text.isEmpty { return text }
    return "'"
      + text.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }
}
