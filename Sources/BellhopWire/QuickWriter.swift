internal import BellhopModel

/// A writer that appends JSON to bytes. The caller writes commas and braces.
struct QuickWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// Reserves capacity for `count` more bytes.
  mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

  /// Appends JSON unchanged.
  mutating func raw(_ text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func raw(_ other: [UInt8]) { bytes.append(contentsOf: other) }

  mutating func raw(_ byte: UInt8) { bytes.append(byte) }

  mutating func number(_ value: Int64) {
    if (0...9).contains(value) {
      bytes.append(UInt8(ascii: "0") + UInt8(value))
    } else {
      bytes.append(contentsOf: String(value).utf8)
    }
  }

  mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      var plainStart = 0
      for (index, byte) in utf8.enumerated()
      where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.append(contentsOf: utf8[plainStart..<index])
        escape(byte)
        plainStart = index + 1
      }
      bytes.append(contentsOf: utf8[plainStart...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    if byte >= 0x20 {
      bytes.append(byte)
    } else {
      raw("u00")
      bytes.append(UInt8(ascii: "0") + byte >> 4)
      bytes.append(Self.hexDigit(UInt64(byte & 15)))
    }
  }

  mutating func id<Tag>(_ id: UniqueID<Tag>) {
    bytes.append(UInt8(ascii: "\""))
    for position in 0..<32 {
      if position == 8 || position == 12 || position == 16 || position == 20 {
        bytes.append(UInt8(ascii: "-"))
      }
      let half = position < 16 ? id.high : id.low
      bytes.append(Self.hexDigit(half >> UInt64(60 - position % 16 * 4) & 15))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func hexDigit(_ value: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: value < 10 ? 0x30 + value : 0x57 + value)
  }

  /// Appends a time in the format of `Timestamp.description`.
  mutating func time(_ time: Timestamp) {
    guard time >= .distantPast, time <= .distantFuture else { return string(time.description) }
    let days = time.milliseconds / 86_400_000
    let inDay = Int(time.milliseconds - days * 86_400_000)
    let date = CivilDate(daysSince1970: days)
    bytes.append(UInt8(ascii: "\""))
    digits(date.year, 1000, then: "-")
    digits(date.month, 10, then: "-")
    digits(date.day, 10, then: "T")
    digits(inDay / 3_600_000, 10, then: ":")
    digits(inDay / 60_000 % 60, 10, then: ":")
    digits(inDay / 1000 % 60, 10, then: ".")
    digits(inDay % 1000, 100, then: "Z")
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func digits(_ value: Int, _ highest: Int, then mark: Unicode.Scalar) {
    var scale = highest
    while scale > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / scale % 10))
      scale /= 10
    }
    bytes.append(UInt8(ascii: mark))
  }
}
