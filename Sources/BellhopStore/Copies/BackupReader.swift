internal import BellhopModel
internal import Crypto
internal import FoundationEssentials
internal import Glibc

/// A file that is read in order, with the checksum of the bytes that were read.
private final class BackupInput {
  private static let bufferBytes = 1 << 20

  private let descriptor: Int32
  private let path: String
  private var buffer: [UInt8] = []
  private var place = 0
  private var hasher = SHA256()

  init(path: String) throws {
    self.path = path
    descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { throw StoreError.notFound(what: "backup file") }
      throw StoreError.failedCall("opened", path)
    }
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// Reads exactly `count` bytes.
  func read(_ count: Int) throws -> [UInt8] {
    let bytes = try take(count)
    hasher.update(data: bytes)
    return bytes
  }

  /// Reads the checksum at the end of the file, compares it, and returns it.
  func checksum() throws -> [UInt8] {
    let expected = Array(hasher.finalize())
    guard try take(expected.count) == expected, place == buffer.count, try !fill(1) else {
      throw StoreError.damagedBackup
    }
    return expected
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while buffer.count - place < count {
      guard try fill(count) else { throw StoreError.damagedBackup }
    }
    defer { place += count }
    return Array(buffer[place..<place + count])
  }

  /// Reads more bytes into the buffer; false at the end of the file.
  private func fill(_ count: Int) throws -> Bool {
    buffer.removeFirst(place)
    place = 0
    var space = [UInt8](repeating: 0, count: max(Self.bufferBytes, count - buffer.count))
    while true {
      let filled = space.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if filled < 0, errno == EINTR { continue }
      guard filled >= 0 else { throw StoreError.failedCall("read", path) }
      space.removeLast(space.count - filled)
      buffer += space
      return filled > 0
    }
  }
}

/// A portable backup that is being read, record by record.
struct BackupReader {
  /// The maximum size of a record. A larger one is damaged; rows and chunks are much smaller.
  private static let recordBytesMax = 64 << 20

  private let input: BackupInput
  let header: BackupHeader
  private let layout: BackupLayout
  /// The checksum of the file; nil until the footer was read.
  private(set) var checksum: [UInt8]?

  /// - Throws: ``StoreError/notFound(what:)``, ``StoreError/newerSchema``,
  ///   ``StoreError/unavailable(reason:)`` if the file is damaged or not a portable backup.
  init(path: String) throws {
    input = try BackupInput(path: path)
    guard try input.read(BackupHeader.magic.count) == BackupHeader.magic else {
      throw StoreError.damagedBackup
    }
    let (kind, payload) = try Self.record(of: input)
    guard kind == .header else { throw StoreError.damagedBackup }
    header = try Self.decoded(payload)
    layout = try BackupLayout(header)
  }

  /// Reads the next record; nil after the footer.
  ///
  /// The footer is returned only if the checksum of the whole file is right.
  mutating func next() throws -> BackupRecord? {
    guard checksum == nil else { return nil }
    let (kind, payload) = try Self.record(of: input)
    switch kind {
    case .header: throw StoreError.damagedBackup
    case .row: return .row(try layout.row(payload[...]))
    case .blob: return .blob(FileHash(String(decoding: payload, as: UTF8.self)))
    case .chunk: return .chunk(payload)
    case .footer:
      let footer: BackupFooter = try Self.decoded(payload)
      checksum = try input.checksum()
      return .footer(footer)
    }
  }

  private static func record(of input: BackupInput) throws -> (BackupKind, [UInt8]) {
    var head = try input.read(5)[...]
    guard let kind = head.popFirst().flatMap(BackupKind.init(rawValue:)),
      let length = head.popBigEndian(byteCount: 4), length <= recordBytesMax
    else { throw StoreError.damagedBackup }
    return (kind, try input.read(Int(length)))
  }

  private static func decoded<Value: Decodable>(_ payload: [UInt8]) throws -> Value {
    do { return try JSONDecoder().decode(Value.self, from: Data(payload)) } catch {
      throw StoreError.damagedBackup
    }
  }
}
