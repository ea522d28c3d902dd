/// A strict reader of graphics. It promises that only these are ever written to a terminal:
///
/// - one question of kitty's protocol for a pixel that is not kept;
/// - a picture of kitty's protocol with `a=T`, format, size in pixels and in cells, a number, no
///   movement of the cursor (`C=1`) and no answers (`q=2`), in pieces of at most 4,096 bytes of base
///   64 behind one another; its deletion by number;
/// - sixels as ``SixelPicture`` allows them, in a sequence that begins `0;1;0q`.
///
/// A picture lies wholly on the screen, with a line below it where it is of sixels.
package struct GraphicsReader: Sendable {
  /// A picture that the terminal shows.
  package struct Shown: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case kitty, sixel }
    package var kind: Kind
    package var x: Int
    package var y: Int
    package var columns: Int
    package var rows: Int
    /// In pixels.
    package var width: Int
    package var height: Int
  }

  package private(set) var shown: [Shown] = []
  /// How many were begun.
  package private(set) var drawn = 0
  /// How often kitty's protocol was asked for.
  package private(set) var questions = 0
  /// The pixels of a cell.
  package let cell: (width: Int, height: Int)
  /// Cells that have pixels of sixels.
  private var covered: Set<[Int]> = []
  /// The pieces of a picture that are still to come.
  private var pending: (picture: Shown, bytes: Int, depth: Int)?

  init(cell: (width: Int, height: Int)) { self.cell = cell }

  static let question = "Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA"
  static let bytesMax = 8 << 20

  /// A string of the application, without its beginning and end.
  ///
  /// - Returns: what is wrong with it.
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

  /// The number in a sequence that deletes a picture, in exactly its form.
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

  /// A device control string that begins as sixels do.
  ///
  /// - Returns: what is wrong with it.
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

  /// A cell was written or erased: what was there of sixels is gone.
  mutating func cover(x: Int, y: Int) {
    guard !covered.isEmpty, covered.remove([x, y]) != nil, covered.isEmpty else { return }
    shown.removeAll { $0.kind == .sixel }
  }

  /// The screen is as large; what was beyond it is gone.
  mutating func resize(columns: Int, rows: Int) {
    for place in covered where place[0] >= columns || place[1] >= rows {
      cover(x: place[0], y: place[1])
    }
  }

  /// How many cells have pixels of sixels.
  package var coveredCells: Int { covered.count }
}
