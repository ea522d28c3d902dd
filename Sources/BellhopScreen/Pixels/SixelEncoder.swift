/// Encodes pixels as sixels: bands of six rows, each with one run of marks per colour.
struct SixelEncoder {
  private let image: PixelImage
  private let table: ColorTable
  private var output: [UInt8] = []

  /// The maximum number of colours that terminals keep.
  static let colorsMax = 256

  init(_ image: PixelImage, colors: Int) {
    self.image = image
    table = ColorTable(image, limit: min(max(2, colors), Self.colorsMax))
  }

  /// Encodes raster attributes, colours and bands, without the beginning and the end of the sequence.
  func encoded() -> [UInt8] {
    var copy = self
    copy.encode()
    return copy.output
  }

  private mutating func encode() {
    // A pixel aspect ratio of 1:1.
    append("\"1;1;\(image.size.width);\(image.size.height)")
    for (index, color) in table.colors.enumerated() {
      func percent(_ value: UInt8) -> Int { (Int(value) * 100 + 127) / 255 }
      append("#\(index);2;\(percent(color.red));\(percent(color.green));\(percent(color.blue))")
    }
    for top in stride(from: 0, to: image.size.height, by: 6) {
      if top > 0 { output.append(UInt8(ascii: "-")) }
      band(from: top)
      // An image that is too large is rejected anyway.
      if output.count > TerminalImage.payloadBytesMax { return }
    }
  }

  private mutating func append(_ text: String) { output += Array(text.utf8) }

  /// Encodes six rows: the marks of one colour after another, each from the left of the band.
  private mutating func band(from top: Int) {
    let width = image.size.width
    var marks = [[UInt8]?](repeating: nil, count: table.colors.count)
    image.bytes.withUnsafeBufferPointer { bytes in
      for y in top..<min(top + 6, image.size.height) {
        let bit = UInt8(1) << UInt8(y - top)
        for x in 0..<width {
          let pixel = (y * width + x) * 4
          guard bytes[pixel + 3] >= 0x80 else { continue }
          let bin = ColorTable.bin(bytes[pixel], bytes[pixel + 1], bytes[pixel + 2])
          let color = Int(table.places[bin])
          if marks[color] == nil { marks[color] = [UInt8](repeating: 0, count: width) }
          marks[color]?[x] |= bit
        }
      }
    }
    var isFirst = true
    for (color, marks) in marks.enumerated() {
      guard let marks else { continue }
      if !isFirst { output.append(UInt8(ascii: "$")) }
      isFirst = false
      append("#\(color)")
      runs(of: marks)
    }
  }

  /// Appends marks, with each run of equal marks as a count and one mark.
  private mutating func runs(of marks: [UInt8]) {
    let end = (marks.lastIndex { $0 != 0 } ?? -1) + 1
    var start = 0
    while start < end {
      let mark = marks[start]
      var next = start + 1
      while next < end, marks[next] == mark { next += 1 }
      let byte = mark + 0x3F
      if next - start > 3 {
        append("!\(next - start)")
        output.append(byte)
      } else {
        for _ in start..<next { output.append(byte) }
      }
      start = next
    }
  }
}
