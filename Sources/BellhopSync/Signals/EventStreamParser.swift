/// Reads a stream of server-sent events piece by piece, as the WHATWG's HTML standard §9.2.6
/// describes it, with limits on everything.
///
/// Only what a signal channel needs: event name, data and comments; ids and retry times are
/// skipped.
package struct EventStreamParser: Sendable {
  /// One thing the stream said.
  package enum Item: Hashable, Sendable {
    case event(name: String, data: String)
    /// A line that starts with a colon: the heart-beat.
    case comment
  }

  /// The stream is no event stream of ours: a line or an event is longer than any we expect.
  package struct LimitExceeded: Error, Hashable {}

  /// Longer lines are refused; a signal with what changed is half as long at most.
  package static let lineBytesMax = 256 << 10
  /// More data in one event is refused.
  package static let dataBytesMax = 256 << 10

  private var line: [UInt8] = []
  private var name = ""
  private var data: [UInt8] = []
  private var hasData = false
  private var skipsLineFeed = false
  private var isAtStart = true

  package init() {}

  /// The items that `bytes` complete.
  /// - Throws: ``LimitExceeded``; the stream has to be given up then.
  package mutating func feed(
    _ bytes: some Sequence<UInt8>
  ) throws(LimitExceeded) -> [Item] {
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
        guard line.count < Self.lineBytesMax else { throw LimitExceeded() }
        line.append(byte)
      }
    }
    return items
  }

  private mutating func endLine(_ items: inout [Item]) throws(LimitExceeded) {
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
      guard data.count + value.count < Self.dataBytesMax else { throw LimitExceeded() }
      if hasData { data.append(UInt8(ascii: "\n")) }
      data.append(contentsOf: value)
      hasData = true
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
