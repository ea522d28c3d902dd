/// A client of RFC 3501 with the extensions of RFC 7162: as much as is measured.
final class IMAPClient {
  private let connection: Connection
  /// Of the mailbox selected last: what a client keeps to be told only of changes.
  private(set) var validity = ""
  private(set) var modification = ""

  /// Signs in.
  init(port: UInt16) throws {
    connection = try Connection(port: port)
    connection.setPatience(.seconds(60))
    _ = try connection.receive(.line)
    try ask("LOGIN bench bench")
    try ask("ENABLE QRESYNC")
  }

  /// Sends a command and waits until it is done.
  ///
  /// - Returns: the lines before its end.
  /// - Throws: ``BenchError`` when it is refused.
  @discardableResult
  func ask(_ command: String) throws -> [String] { try ask(Array(command.utf8)) }

  @discardableResult
  func ask(_ command: [UInt8]) throws -> [String] {
    try send(command)
    var lines: [String] = []
    while true {
      let line = try nextLine()
      lines.append(line)
      guard line.hasPrefix("a ") else { continue }
      guard line.hasPrefix("a OK") else { throw BenchError("dovecot answered \(line)") }
      return lines
    }
  }

  func send(_ command: [UInt8]) throws {
    try connection.send(Array("a ".utf8) + command + [13, 10])
  }
  func send(_ command: String) throws { try send(Array(command.utf8)) }

  /// Sends a line that belongs to the command before.
  func sendLine(_ line: String) throws { try connection.send(line + "\r\n") }

  func nextLine() throws -> String {
    String(decoding: try connection.receive(.line).dropLast(2), as: UTF8.self)
  }

  /// Opens the mailbox, or opens it again and is told what has changed since it was left.
  ///
  /// - Returns: how many messages have changed.
  @discardableResult
  func select(again isAgain: Bool = false) throws -> Int {
    let lines = try ask(
      "SELECT INBOX" + (isAgain ? " (QRESYNC (\(validity) \(modification)))" : ""))
    guard !isAgain else { return lines.count { $0.contains(" FETCH (") } }
    validity = Self.number(after: "[UIDVALIDITY ", in: lines)
    modification = Self.number(after: "[HIGHESTMODSEQ ", in: lines)
    return 0
  }

  /// All that a list of messages shows.
  ///
  /// - Returns: how many there were, and when the first ones came.
  func fetchAll() throws -> (messages: Int, first: ContinuousClock.Instant) {
    try send("FETCH 1:* (UID FLAGS ENVELOPE)")
    var messages = 0
    var tail: [UInt8] = []
    var first: ContinuousClock.Instant?
    let mark = Array("FETCH (UID ".utf8)
    while true {
      try connection.readOnce { bytes in
        // What was kept of the part before may hold the beginning of a mark.
        tail += bytes
        messages += Self.count(mark, in: tail)
        tail.removeFirst(max(0, tail.count - mark.count + 1))
      }
      first = first ?? ContinuousClock().now
      // Nothing follows the command's end, and nothing else ends a part in the same way.
      let end = String(decoding: tail, as: UTF8.self)
      if end.hasSuffix("secs).\r\n"), let first { return (messages, first) }
    }
  }

  private static func count(_ mark: [UInt8], in bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      var count = 0
      while let end = Framing.end(of: mark, in: rest) {
        count += 1
        rest = UnsafeRawBufferPointer(rebasing: rest[end...])
      }
      return count
    }
  }

  private static func number(after label: String, in lines: [String]) -> String {
    for line in lines {
      guard let range = line.firstRange(of: label) else { continue }
      return String(line[range.upperBound...].prefix { $0.isNumber })
    }
    return "0"
  }
}
