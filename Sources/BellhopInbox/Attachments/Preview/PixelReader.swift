import BellhopModel
package import BellhopScreen

extension PixelImage {
  /// Parses an image from sequences of kitty's graphics protocol, as image programs write them.
  ///
  /// Accepts only the keys that describe the pixels, and nothing between the sequences. The bytes
  /// are untrusted, so only the pixels are kept; this program writes its own sequences to the
  /// terminal.
  ///
  /// - Throws: ``PictureError``.
  package init(drawn bytes: [UInt8], within limit: PixelSize) throws(PictureError) {
    var reader = PixelReader(limit: limit)
    var index = 0
    while index < bytes.count {
      index += try reader.take(bytes[index...])
    }
    self = try reader.finish()
  }
}

/// Parses the sequences one by one.
private struct PixelReader {
  let limit: PixelSize
  private var size: PixelSize?
  /// The bytes per pixel: 3, or 4 with opacity.
  private var depth = 0
  private var data: [UInt8] = []
  private var isWhole = false

  /// The maximum length of the keys; eight keys of five digits need 80 bytes.
  private static let keysBytesMax = 128
  /// The maximum length of a piece; the protocol has no longer ones.
  private static let pieceBytesMax = 8192

  init(limit: PixelSize) { self.limit = limit }

  /// Parses the next sequence.
  ///
  /// - Returns: The number of bytes parsed; at least one.
  mutating func take(_ rest: ArraySlice<UInt8>) throws(PictureError) -> Int {
    let start = rest.startIndex
    // A line end before or after the image.
    if rest.first == UInt8(ascii: "\n"), size == nil || isWhole { return 1 }
    guard rest.starts(with: [0x1B, UInt8(ascii: "_"), UInt8(ascii: "G")]) else {
      throw .foreign(offset: start)
    }
    let content = rest.dropFirst(3).prefix(Self.keysBytesMax + Self.pieceBytesMax)
      .prefix { $0 != 0x1B }
    let end = content.endIndex
    guard rest[end...].starts(with: [0x1B, UInt8(ascii: "\\")]) else {
      throw .foreign(offset: end)
    }
    let parts = content.split(
      separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
    guard !isWhole else { throw .foreign(offset: start) }
    let keys = try keys(in: parts[0])
    let isMore = keys[UInt8(ascii: "m")] == 1
    if size == nil {
      try begin(keys, at: start)
    } else if !Set(keys.keys).isSubset(of: [UInt8(ascii: "m"), UInt8(ascii: "q")]) {
      throw .foreign(offset: start)
    }
    if parts.count == 2 { try append(parts[1]) }
    isWhole = !isMore
    return end + 2 - start
  }

  func finish() throws(PictureError) -> PixelImage {
    guard let size, isWhole, size.count > 0 else { throw .empty }
    guard data.count == size.count * depth else { throw .foreign(offset: data.count) }
    guard let image = PixelImage(size: size, bytes: depth == 4 ? data : opaque) else {
      throw .empty
    }
    return image
  }

  /// The pixels with full opacity added.
  private var opaque: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(data.count / 3 * 4)
    for start in stride(from: 0, to: data.count, by: 3) {
      bytes += data[start..<(start + 3)]
      bytes.append(0xFF)
    }
    return bytes
  }

  /// Parses the keys of a sequence, each at most once, with numbers of up to five digits.
  ///
  /// The keys are `a=T`, `t=d`, `f`, `s`, `v`, `c`, `r`, `m` and `q`.
  private func keys(in text: ArraySlice<UInt8>) throws(PictureError) -> [UInt8: Int] {
    var keys: [UInt8: Int] = [:]
    guard text.count <= Self.keysBytesMax else { throw .foreign(offset: text.startIndex) }
    for pair in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let value = pair.dropFirst(2)
      guard let key = pair.first, keys[key] == nil, !value.isEmpty,
        pair[pair.startIndex + 1] == UInt8(ascii: "=")
      else { throw .foreign(offset: pair.startIndex) }
      switch key {
      case UInt8(ascii: "a") where value.elementsEqual("T".utf8),
        UInt8(ascii: "t") where value.elementsEqual("d".utf8):
        keys[key] = 0
      case _ where "fsvcrmq".utf8.contains(key):
        guard value.count <= 5, value.allSatisfy({ (0x30...0x39).contains($0) }) else {
          throw .foreign(offset: value.startIndex)
        }
        keys[key] = value.reduce(0) { $0 * 10 + Int($1) - 0x30 }
      default: throw .foreign(offset: pair.startIndex)  // open: UInt8
      }
    }
    return keys
  }

  private mutating func begin(_ keys: [UInt8: Int], at offset: Int) throws(PictureError) {
    guard keys[UInt8(ascii: "a")] != nil, let width = keys[UInt8(ascii: "s")],
      let height = keys[UInt8(ascii: "v")], let format = keys[UInt8(ascii: "f")],
      format == 24 || format == 32
    else { throw .foreign(offset: offset) }
    guard width <= limit.width, height <= limit.height else { throw .tooLarge }
    size = PixelSize(width: width, height: height)
    depth = format / 8
    data.reserveCapacity(width * height * depth)
  }

  private mutating func append(_ piece: ArraySlice<UInt8>) throws(PictureError) {
    guard let bytes = Base64.decode(piece) else { throw .foreign(offset: piece.startIndex) }
    data += bytes
    guard let size, data.count <= size.count * depth else { throw .tooLarge }
  }
}
