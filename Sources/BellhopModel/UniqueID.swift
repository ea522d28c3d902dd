/// A 128-bit identifier; its tag makes ids of different things distinct types.
///
/// The text form is the hyphenated lower-case form of RFC 9562 §4. Ids from
/// ``version7(at:random:)`` increase with time, so b-trees grow at their end and ids sort by
/// creation.
public struct UniqueID<Tag>: Hashable, Sendable, Comparable {
  /// The first eight bytes, most significant first.
  public let high: UInt64
  /// The last eight bytes, most significant first.
  public let low: UInt64

  /// Creates an id from its two halves, bit for bit.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates an id from its 16 bytes, most significant first; nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    let inPlace = bytes.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).id(Tag.self) }
    if let inPlace {
      self = inPlace
      return
    }
    var halves: (UInt64, UInt64) = (0, 0)
    for (index, byte) in bytes.enumerated() {
      if index < 8 {
        halves.0 = halves.0 << 8 | UInt64(byte)
      } else {
        halves.1 = halves.1 << 8 | UInt64(byte)
      }
    }
    self.init(high: halves.0, low: halves.1)
  }

  /// Parses the hyphenated text form, in either case; nil for anything else.
  public init?(_ text: some StringProtocol) {
    var halves: (UInt64, UInt64) = (0, 0)
    var position = 0
    var digits = 0
    for byte in text.utf8 {
      if position == 8 || position == 13 || position == 18 || position == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = Self.hexValue(byte), digits < 32 else { return nil }
        if digits < 16 {
          halves.0 = halves.0 << 4 | digit
        } else {
          halves.1 = halves.1 << 4 | digit
        }
        digits += 1
      }
      position += 1
    }
    guard position == 36 else { return nil }
    self.init(high: halves.0, low: halves.1)
  }

  /// Returns a time-ordered id: RFC 9562 §5.7, with 74 bits of `random`.
  public static func version7(at time: Timestamp, random: (UInt64, UInt64)) -> UniqueID {
    let milliseconds = UInt64(bitPattern: max(0, time.milliseconds)) & 0xffff_ffff_ffff
    return UniqueID(
      high: milliseconds << 16 | 0x7000 | random.0 & 0x0fff,
      low: 0x8000_0000_0000_0000 | random.1 & 0x3fff_ffff_ffff_ffff)
  }

  /// The 16 bytes, most significant first.
  public var bytes: [UInt8] {
    [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - $0 * 8)) } }
  }

  public static func < (left: UniqueID, right: UniqueID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  private static func hexValue(_ byte: UInt8) -> UInt64? {
    switch byte {
    case 0x30...0x39: UInt64(byte - 0x30)
    case 0x41...0x46: UInt64(byte - 0x41 + 10)
    case 0x61...0x66: UInt64(byte - 0x61 + 10)
    default: nil  // open: UInt8
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Reads the id from these 16 bytes, most significant first.
  fileprivate func id<Tag>(_: Tag.Type) -> UniqueID<Tag> {
    UniqueID(
      high: UInt64(bigEndian: loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }
}

extension UniqueID: CustomStringConvertible, LosslessStringConvertible {
  public var description: String {
    // 16 bytes are 32 digits, with four hyphens.
    String(unsafeUninitializedCapacity: 36) { buffer in
      var position = 0
      for (index, byte) in bytes.enumerated() {
        if index == 4 || index == 6 || index == 8 || index == 10 {
          buffer[position] = UInt8(ascii: "-")
          position += 1
        }
        for nibble in [byte >> 4, byte & 15] {
          buffer[position] = nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10
          position += 1
        }
      }
      return position
    }
  }

  public init?(_ description: String) {
    self.init(description[...])
  }
}

extension UniqueID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = UniqueID(text[...]) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "expected a UUID such as 0198c0de-0000-7000-8000-000000000000")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// A source of ids that increase strictly.
///
/// They increase even within one millisecond and when the clock steps back. The random source is a
/// closure from the composition root, so that simulations repeat.
public struct UniqueIDSource: Sendable {
  private let random: @Sendable () -> UInt64
  private var last: (milliseconds: Int64, counter: UInt64) = (0, 0)

  /// Creates a source that draws 64-bit words from `random`.
  public init(random: @escaping @Sendable () -> UInt64) {
    self.random = random
  }

  /// Returns the next id, greater than every id that this source has made.
  public mutating func next<Tag>(at time: Timestamp) -> UniqueID<Tag> {
    if time.milliseconds > last.milliseconds {
      last = (time.milliseconds, random() & 0x07ff)
    } else if last.counter < 0x0fff {
      last.counter += 1
    } else {
      last = (last.milliseconds + 1, random() & 0x07ff)
    }
    return .version7(
      at: Timestamp(milliseconds: last.milliseconds), random: (last.counter, random()))
  }
}
