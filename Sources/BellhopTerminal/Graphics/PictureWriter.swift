import BellhopScreen

/// Puts the picture of a frame onto the terminal and takes it away again. Pure: it makes the bytes
/// that are written around a frame's cells, and knows what is there.
struct PictureWriter {
  /// What the terminal shows.
  private(set) var placed: FramePicture?

  /// By which kitty's protocol knows the picture; there is one at a time.
  static let number = 48_657
  /// What kitty's protocol allows in one sequence.
  private static let chunkBytesMax = 4096

  /// What has to happen before the cells of a frame are drawn.
  struct Removal: Hashable {
    var bytes = ""
    /// Rows whose cells are written anew, which takes sixels away.
    var rows: Range<Int>?
  }

  /// Takes away what the next frame has no more.
  ///
  /// - Parameter isWhole: Whether everything is drawn anew.
  mutating func remove(before next: FramePicture?, isWhole: Bool) -> Removal {
    guard let placed, isWhole || placed != next else { return Removal() }
    self.placed = nil
    switch placed.image.graphics {
    case .kitty: return Removal(bytes: Self.deletion)
    case .sixel: return Removal(rows: placed.place.y..<placed.place.maxY)
    }
  }

  /// Cells in these rows were written: sixels there are gone.
  mutating func overwrote(row: Int) {
    guard let placed, placed.image.graphics == .sixel else { return }
    if (placed.place.y..<placed.place.maxY).contains(row) { self.placed = nil }
  }

  /// Whether the frame's picture is not on the terminal.
  func lacks(_ picture: FramePicture?) -> Bool { picture != nil && picture != placed }

  /// The bytes that put a picture over blank cells, with the cursor back where it was; nothing where
  /// it is there, or would not be wholly on a screen of that size.
  mutating func place(_ picture: FramePicture?, on size: Size) -> [UInt8] {
    guard let picture, picture != placed else { return [] }
    guard Rect(size).intersection(picture.place) == picture.place else { return [] }
    placed = picture
    var bytes = Array("\u{1B}7\u{1B}[\(picture.place.y + 1);\(picture.place.x + 1)H".utf8)
    switch picture.image.graphics {
    case .kitty: Self.append(kitty: picture, to: &bytes)
    case .sixel:
      // 1: what is not drawn keeps what is there.
      bytes += Array("\u{1B}P0;1;0q".utf8) + picture.image.payload + Array("\u{1B}\\".utf8)
    }
    return bytes + Array("\u{1B}8".utf8)
  }

  /// The screen is given away: what there is of a picture goes.
  mutating func leave() -> String { remove(before: nil, isWhole: true).bytes }

  private static var deletion: String { "\u{1B}_Ga=d,d=I,i=\(number),q=2\u{1B}\\" }

  /// In as many sequences as it takes. The terminal fits it into its cells (c, r), leaves the cursor
  /// (C=1) and answers nothing (q=2).
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
