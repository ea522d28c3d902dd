import BellhopScreen

/// A writer that places the picture of a frame on the terminal and removes it again.
///
/// Pure: it produces the bytes that surround a frame's cells and tracks the picture on the
/// terminal.
struct PictureWriter {
  /// The picture on the terminal.
  private(set) var placed: FramePicture?

  /// The image number in kitty's protocol. There is one picture at a time.
  static let number = 48_657
  /// The largest payload of one sequence in kitty's protocol.
  private static let chunkBytesMax = 4096

  /// The steps before the cells of a frame are drawn.
  struct Removal: Hashable {
    var bytes = ""
    /// Rows whose cells must be rewritten, which removes sixels.
    var rows: Range<Int>?
  }

  /// Removes a picture that the next frame does not contain.
  ///
  /// - Parameter isWhole: Whether the whole frame is redrawn.
  mutating func remove(before next: FramePicture?, isWhole: Bool) -> Removal {
    guard let placed, isWhole || placed != next else { return Removal() }
    self.placed = nil
    switch placed.image.graphics {
    case .kitty: return Removal(bytes: Self.deletion)
    case .sixel: return Removal(rows: placed.place.y..<placed.place.maxY)
    }
  }

  /// Notes that the cells of a row were written, which removes sixels there.
  mutating func overwrote(row: Int) {
    guard let placed, placed.image.graphics == .sixel else { return }
    if (placed.place.y..<placed.place.maxY).contains(row) { self.placed = nil }
  }

  /// Whether the frame has a picture that is not on the terminal.
  func lacks(_ picture: FramePicture?) -> Bool { picture != nil && picture != placed }

  /// Returns the bytes that draw the picture over blank cells and restore the cursor.
  ///
  /// Returns no bytes if the picture is already on the terminal or does not fit a screen of that
  /// size.
  mutating func place(_ picture: FramePicture?, on size: Size) -> [UInt8] {
    guard let picture, picture != placed else { return [] }
    guard Rect(size).intersection(picture.place) == picture.place else { return [] }
    placed = picture
    var bytes = Array("\u{1B}7\u{1B}[\(picture.place.y + 1);\(picture.place.x + 1)H".utf8)
    switch picture.image.graphics {
    case .kitty: Self.append(kitty: picture, to: &bytes)
    case .sixel:
      // 1: pixels that are not drawn keep their content.
      bytes += Array("\u{1B}P0;1;0q".utf8) + picture.image.payload + Array("\u{1B}\\".utf8)
    }
    return bytes + Array("\u{1B}8".utf8)
  }

  /// Returns the bytes that remove the picture before the program leaves the screen.
  mutating func leave() -> String { remove(before: nil, isWhole: true).bytes }

  private static var deletion: String { "\u{1B}_Ga=d,d=I,i=\(number),q=2\u{1B}\\" }

  /// Appends the sequences that draw a picture with kitty's protocol, in chunks.
  ///
  /// The terminal scales the picture to its cells (c, r), does not move the cursor (C=1) and does
  /// not answer (q=2).
  private static func append(kitty picture: FramePicture, to bytes: inout [UInt8]) {
    let image = picture.image
    var keys =
      "a=T,f=\(image.isTranslucent ? 32 : 24),s=\(image.size.width),v=\(image.size.height),"
      + "i=\(number),c=\(picture.place.width),r=\(picture.place.height),C=1,"
    var start = 0
    repeat {
      let end = min(start + chunkBytesMax, image.payload.count)
      bytes += Array("\u{1B}_G\(keys)q=2,m=\(end < image.payload.count ? 1 : 0);".utf8)
      bytes += image.payload[start..<end]
      bytes += Array("\u{1B}\\".utf8)
      keys = ""
      start = end
    } while start < image.payload.count
  }
}
