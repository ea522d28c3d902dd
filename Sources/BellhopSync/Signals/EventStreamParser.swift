/// A parser of server-sent events, as described in the WHATWG HTML standard §9.2.6.
///
/// It reads the stream piece by piece, with limits on everything. It covers only what a signal
/// channel needs: event name, data, comments and the time until the next connection. Ids are skipped.
package struct EventStreamParser: Sendable {
  /// One item of the stream.
  package enum Item: Hashable, Sendable {
    case event(name: String, data: String)
    /// A line that starts with a colon: the heartbeat.
    case comment
    /// The time after which to connect again once the stream has ended.
    case retry(Duration)
  }

  /// The error for a line or an event that is longer than any in a store's stream.
  package struct LimitError: Error, Hashable {}

  /// The maximum size of a line. A signal with its enclosed changes is half as long at most.
  package static let lineBytesMax = 256 << 10
  /// The maximum size of the data in one event.
  package static let dataBytesMax = 256 << 10

  private var line: [UInt8] = []
  private var name = ""
  private var data: [UInt8] = []
  private var hasData = false
  private var skipsLineFeed = false
  private var isAtStart = true

  package init() {}

  /// Returns the items that `bytes` complete.
  /// - Throws: ``LimitError``; the stream must be given up then.
  package mutating func feed(
    _ bytes: some Sequence<UInt8>
  ) throws(LimitError) -> [Item] {
    var items: [Item] = []
    for byte in bytes {
      let followsReturn = skipsLineFeed
      skipsLineFeed = false
      switch byte {
      case UInt8(ascii: "\n") where followsReturn: continue
      case UInt8(ascii: "\n"):
        try endLine(&items)
      case UInt8(ascii: "\r"):
        skipsLineFeed = true
        try endLine(&items)
      default:  // open: UInt8
        guard line.count < Self.lineBytesMax else { throw LimitError() }
        line.append(byte)
      }
    }
    return items
  }

  private mutating func endLine(_ items: inout [Item]) throws(LimitError) {
    var line = self.line[...]
    self.line = []
    if isAtStart, line.starts(with: [0xef, 0xbb, 0xbf]) { line = line.dropFirst(3) }
    isAtStart = false
    guard let first = line.first else {
      dispatch(&items)
      return
    }
    if first == UInt8(ascii: ":") {
      items.append(.comment)
      return
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":"))
    var value = colon.map { line[($0 + 1)...] } ?? []
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: line[..<(colon ?? line.endIndex)], as: UTF8.self) {
    case "event": name = String(decoding: value, as: UTF8.self)
    case "data":
      guard data.count + value.count < Self.dataBytesMax else { throw LimitError() }
      if hasData { data.append(UInt8(ascii: "\n")) }
      data.append(contentsOf: value)
      hasData = true
    case "retry":
      guard value.allSatisfy({ (0x30...0x39).contains($0) }),
        let milliseconds = Int64(String(decoding: value, as: UTF8.self))
      else { return }
      items.append(.retry(.milliseconds(milliseconds)))
    default: break  // open: String
    }
  }

  private mutating func dispatch(_ items: inout [Item]) {
    if hasData {
      items.append(
        .event(
          name: name.isEmpty ? "message" : name, data: String(decoding: data, as: UTF8.self)))
    }
    name = ""
    data = []
    hasData = false
  }
}
