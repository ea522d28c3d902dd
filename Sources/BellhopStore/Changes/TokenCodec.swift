internal import BellhopModel
internal import Crypto
internal import FoundationEssentials

/// A position in a user's changes or in a list, as encoded in tokens.
enum Position: Hashable, Sendable {
  /// Everything up to the sequence is known.
  case delta(SequenceNumber)
  /// In a delta from `base`, after the row with the sequence `after`. The token includes the base,
  /// because it decides which rows need their content.
  case deltaPage(base: SequenceNumber, after: SequenceNumber)
  /// In a first synchronisation that began at `base`, below the key.
  case firstPage(base: SequenceNumber, below: ArrivalKey)
  /// After this place in the list with this fingerprint; in a list by level, at this level.
  case list(query: Int64, level: Priority?, place: ListPlace)
}

/// The content of a token (SYNC-4).
struct TokenContent: Hashable, Sendable {
  var epoch: Epoch
  var start: UniqueID<StoreStart>
  var user: UserID
  /// The environment of the reader, which decides what the positions before it contain.
  var reader = RegistrationEnvironment.production
  var position: Position
}

/// A codec for tokens that only this store can read: binary, with a MAC, in base64url.
///
/// Layout: version, kind, start (16), user (8), numbers (8 each), id (16, pages by arrival only),
/// epoch, the first 16 bytes of HMAC-SHA256. Kind 4 was a list in earlier versions. The highest bit
/// of the kind is set for a reader in development.
struct TokenCodec: Sendable {
  private static let version: UInt8 = 1
  private static let macBytes = 16
  private static let developmentBit: UInt8 = 0x80
  private let key: SymmetricKey

  init(key: [UInt8]) {
    self.key = SymmetricKey(data: key)
  }

  func encode(_ content: TokenContent) -> String {
    var bytes: [UInt8] = [Self.version]
    func append(_ numbers: Int64...) {
      for number in numbers {
        let bits = UInt64(bitPattern: number)
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - $0 * 8)) }
      }
    }
    let reader: UInt8 =
      switch content.reader {
      case .development: Self.developmentBit
      case .production: 0
      }
    bytes.append(content.position.kind | reader)
    bytes += content.start.bytes
    append(content.user.rawValue)
    switch content.position {
    case .delta(let sequence):
      append(sequence.rawValue)
    case .deltaPage(let base, let after):
      append(base.rawValue, after.rawValue)
    case .firstPage(let base, let below):
      append(base.rawValue, below.arrival.milliseconds)
      bytes += below.id.bytes
    case .list(let query, let level, .arrival(let key)):
      append(query, Int64(level?.rawValue ?? 0), key.arrival.milliseconds)
      bytes += key.id.bytes
    case .list(let query, let level, .number(let number)):
      append(query, Int64(level?.rawValue ?? 0), number)
    }
    bytes += Array(content.epoch.rawValue.utf8)
    return Base64URL.encode(bytes + mac(bytes))
  }

  /// Returns the content of a token, or nil if this store did not write it.
  func decode(_ text: String) -> TokenContent? {
    guard text.utf8.count <= 512, let bytes = Base64URL.decode(text),
      bytes.count > Self.macBytes
    else { return nil }
    let payload = Array(bytes.dropLast(Self.macBytes))
    guard ConstantTime.areEqual(mac(payload), Array(bytes.suffix(Self.macBytes))) else {
      return nil
    }
    var reader = ByteReader(payload)
    guard reader.byte() == Self.version, let kind = reader.byte(),
      let start: UniqueID<StoreStart> = reader.id(), let user = reader.number(),
      let position = Position(kind: kind & ~Self.developmentBit, from: &reader)
    else { return nil }
    return TokenContent(
      epoch: Epoch(String(decoding: reader.rest, as: UTF8.self)), start: start,
      user: UserID(rawValue: user),
      reader: kind & Self.developmentBit == 0 ? .production : .development, position: position)
  }

  private func mac(_ bytes: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key).prefix(Self.macBytes))
  }
}

extension Position {
  fileprivate var kind: UInt8 {
    switch self {
    case .delta: 1
    case .deltaPage: 2
    case .firstPage: 3
    case .list(_, _, .arrival): 5
    case .list(_, _, .number): 6
    }
  }

  fileprivate init?(kind: UInt8, from reader: inout ByteReader) {
    switch kind {
    case 1:
      guard let sequence = reader.number() else { return nil }
      self = .delta(SequenceNumber(sequence))
    case 2:
      guard let base = reader.number(), let after = reader.number() else { return nil }
      self = .deltaPage(base: SequenceNumber(base), after: SequenceNumber(after))
    case 3:
      guard let base = reader.number(), let below = reader.arrivalKey() else { return nil }
      self = .firstPage(base: SequenceNumber(base), below: below)
    case 5:
      guard let query = reader.number(), let level = reader.number(),
        let key = reader.arrivalKey()
      else { return nil }
      self = .list(
        query: query, level: Priority(rawValue: Int(clamping: level)), place: .arrival(key))
    case 6:
      guard let query = reader.number(), let level = reader.number(),
        let number = reader.number()
      else { return nil }
      self = .list(
        query: query, level: Priority(rawValue: Int(clamping: level)), place: .number(number))
    default: return nil  // open: UInt8
    }
  }
}

private struct ByteReader {
  var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func number() -> Int64? {
    guard rest.count >= 8 else { return nil }
    let bits = rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    rest.removeFirst(8)
    return Int64(bitPattern: bits)
  }

  mutating func id<Tag>() -> UniqueID<Tag>? {
    guard rest.count >= 16 else { return nil }
    defer { rest.removeFirst(16) }
    return UniqueID(bytes: rest.prefix(16))
  }

  mutating func arrivalKey() -> ArrivalKey? {
    guard let arrival = number(), let id: NotificationID = id() else { return nil }
    return ArrivalKey(arrival: Timestamp(milliseconds: arrival), id: id)
  }
}

/// A comparison of secrets in constant time.
enum ConstantTime {
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
