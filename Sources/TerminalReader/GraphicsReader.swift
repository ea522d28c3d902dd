/// A strict reader of graphics sequences, which allows a short list only.
///
/// Only these may be written to a terminal:
/// - one query of kitty's protocol with a pixel that is not stored;
/// - a picture of kitty's protocol with `a=T`, format, size in pixels and in cells, a number, no
///   cursor movement (`C=1`) and no answers (`q=2`), in consecutive chunks of at most 4,096 bytes
///   of Base64; its deletion by number;
/// - sixels that ``SixelPicture`` allows, in a sequence that begins with `0;1;0q`.
///
/// A picture must be completely on the screen, with a line below it in the case of sixels.
package struct GraphicsReader: Sendable {
  /// A picture that the terminal shows.
  package struct Shown: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case kitty, sixel }
    package var kind: Kind
    package var x: Int
    package var y: Int
    package var columns: Int
    package var rows: Int
    /// The width in pixels.
    package var width: Int
    package var height: Int
  }

  package private(set) var shown: [Shown] = []
  /// The number of pictures that were started.
  package private(set) var drawn = 0
  /// The number of queries for kitty's protocol.
  package private(set) var questions = 0
  /// The size of a cell in pixels.
  package let cell: (width: Int, height: Int)
  /// The cells that contain sixels.
  private var covered: Set<[Int]> = []
  /// A picture whose remaining chunks have not arrived yet.
  private var pending: (picture: Shown, bytes: Int, depth: Int)?

  init(cell: (width: Int, height: Int)) { self.cell = cell }

  static let question = "Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA"
  static let bytesMax = 8 << 20

  /// Reads an application program command (APC), without its start and end.
  ///
  /// - Returns: The violation, or nil if it is allowed.
  mutating func read(
    application bytes: [UInt8], cursor: (x: Int, y: Int), screen: (columns: Int, rows: Int)
  ) -> String? {
    if bytes.elementsEqual(Self.question.utf8) {
      questions += 1
      return nil
    }
    let text = String(decoding: bytes.prefix(100), as: UTF8.self)
    let wrong = "the string of the application \(text.debugDescription)"
    if let number = Self.deleted(text) {
      guard number > 0, pending == nil else { return wrong }
      shown.removeAll { $0.kind == .kitty }
      return nil
    }
    guard bytes.first == UInt8(ascii: "G"), let semicolon = bytes.firstIndex(of: 0x3B) else {
      return wrong
    }
    let keys = String(decoding: bytes[1..<semicolon], as: UTF8.self)
    let piece = bytes[(semicolon + 1)...]
    let isBase64 = piece.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || [0x2B, 0x2F, 0x3D].contains($0)
    }
    guard isBase64, piece.count <= 4096, piece.count % 4 == 0 else { return wrong }
    let isMore = keys.hasSuffix("q=2,m=1")
    guard isMore || keys.hasSuffix("q=2,m=0") else { return wrong }
    let head = keys.dropLast("q=2,m=1".count)
    if !head.isEmpty {
      guard pending == nil, let begun = Self.begun(String(head), cursor) else { return wrong }
      pending = begun
    }
    guard var picture = pending else { return wrong }
    picture.bytes += piece.count / 4 * 3 - piece.suffix(2).count { $0 == 0x3D }
    pending = isMore ? picture : nil
    if isMore { return nil }
    let place = picture.picture
    guard picture.bytes == place.width * place.height * picture.depth else {
      return "\(picture.bytes) bytes of \(place)"
    }
    guard place.x + place.columns <= screen.columns, place.y + place.rows <= screen.rows else {
      return "a picture out of the screen: \(place)"
    }
    shown.removeAll { $0.kind == .kitty }
    shown.append(place)
    drawn += 1
    return nil
  }

  /// Returns the number in a sequence that deletes a picture, if it has exactly that form.
  private static func deleted(_ text: String) -> Int? {
    let (head, tail) = ("Ga=d,d=I,i=", ",q=2")
    guard text.hasPrefix(head), text.hasSuffix(tail) else { return nil }
    return Int(text.dropFirst(head.count).dropLast(tail.count))
  }

  private static func begun(
    _ keys: String, _ cursor: (x: Int, y: Int)
  ) -> (picture: Shown, bytes: Int, depth: Int)? {
    let pairs = keys.split(separator: ",").map { $0.split(separator: "=") }
    guard pairs.allSatisfy({ $0.count == 2 }),
      pairs.map({ String($0[0]) }) == ["a", "f", "s", "v", "i", "c", "r", "C"]
    else { return nil }
    let numbers = pairs.map { Int($0[1]) ?? 0 }
    guard pairs[0][1] == "T", [24, 32].contains(numbers[1]), numbers[7] == 1,
      numbers[2...6].allSatisfy({ $0 > 0 })
    else { return nil }
    return (
      Shown(
        kind: .kitty, x: cursor.x, y: cursor.y, columns: numbers[5], rows: numbers[6],
        width: numbers[2], height: numbers[3]), 0, numbers[1] / 8
    )
  }

  /// Reads a device control string that begins as sixels do.
  ///
  /// - Returns: The violation, or nil if it is allowed.
  mutating func read(
    sixels bytes: [UInt8], cursor: (x: Int, y: Int), screen: (columns: Int, rows: Int)
  ) -> String? {
    do {
      let picture = try SixelPicture(Array(bytes.dropFirst("0;1;0q".utf8.count)))
      let columns = (picture.width + cell.width - 1) / cell.width
      let rows = (picture.height + cell.height - 1) / cell.height
      guard cursor.x + columns <= screen.columns, cursor.y + rows < screen.rows else {
        return "sixels out of the screen: \(columns)×\(rows) cells at \(cursor)"
      }
      for y in cursor.y..<(cursor.y + rows) {
        for x in cursor.x..<(cursor.x + columns) { covered.insert([x, y]) }
      }
      shown.removeAll { $0.kind == .sixel }
      shown.append(
        Shown(
          kind: .sixel, x: cursor.x, y: cursor.y, columns: columns, rows: rows,
          width: picture.width, height: picture.height))
      drawn += 1
      return nil
    } catch {
      return "sixels: \(error)"
    }
  }

  /// Notes that a cell was written or erased, which removes the sixels there.
  mutating func cover(x: Int, y: Int) {
    guard !covered.isEmpty, covered.remove([x, y]) != nil, covered.isEmpty else { return }
    shown.removeAll { $0.kind == .sixel }
  }

  /// Applies a new screen size, which removes everything beyond it.
  mutating func resize(columns: Int, rows: Int) {
    for place in covered where place[0] >= columns || place[1] >= rows {
      cover(x: place[0], y: place[1])
    }
  }

  /// The number of cells that contain sixels.
  package var coveredCells: Int { covered.count }
}
