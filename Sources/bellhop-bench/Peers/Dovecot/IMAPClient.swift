/// An IMAP client of RFC 3501 and RFC 7162, limited to the measured commands.
final class IMAPClient {
  private let connection: LoopbackConnection
  /// The state of the mailbox selected last, which a client stores to receive only changes.
  private(set) var validity = ""
  private(set) var modification = ""

  /// Connects to the server and signs in.
  init(port: UInt16) throws {
    connection = try LoopbackConnection(port: port)
    connection.setPatience(.seconds(60))
    _ = try connection.receive(.line)
    try ask("LOGIN bench bench")
    try ask("ENABLE QRESYNC")
  }

  /// Sends a command and waits for its completion.
  ///
  /// - Returns: The lines of the response.
  /// - Throws: ``BenchError`` if the server rejects the command.
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

  func nextLine() throws -> String {
    String(decoding: try connection.receive(.line).dropLast(2), as: UTF8.self)
  }

  /// Selects the mailbox, or selects it again and receives the changes since it was closed.
  ///
  /// - Returns: The number of changed messages.
  @discardableResult
  func select(again isAgain: Bool = false) throws -> Int {
    let lines = try ask(
      "SELECT INBOX" + (isAgain ? " (QRESYNC (\(validity) \(modification)))" : ""))
    guard !isAgain else { return lines.count { $0.contains(" FETCH (") } }
    validity = Self.number(after: "[UIDVALIDITY ", in: lines)
    modification = Self.number(after: "[HIGHESTMODSEQ ", in: lines)
    return 0
  }

  /// Fetches everything that a list of messages shows.
  ///
  /// - Returns: The number of messages, and the time at which the first ones arrived.
  func fetchAll() throws -> (messages: Int, first: ContinuousClock.Instant) {
    try send("FETCH 1:* (UID FLAGS ENVELOPE)")
    var messages = 0
    var tail: [UInt8] = []
    var first: ContinuousClock.Instant?
    let mark = Array("FETCH (UID ".utf8)
    while true {
      try connection.readOnce { bytes in
        // The rest of the previous part may contain the beginning of a mark.
        tail += bytes
        messages += Self.count(mark, in: tail)
        tail.removeFirst(max(0, tail.count - mark.count + 1))
      }
      first = first ?? ContinuousClock().now
      // Nothing follows the end of the command, and no other part ends in the same way.
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
