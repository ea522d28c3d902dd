import BellhopModel
import BellhopTestSupport
import TerminalReader
import Testing

@testable import BellhopScreen

@Suite("Pixels in terminals' formats")
struct SixelTests {
  private func image(
    _ width: Int, _ height: Int, _ pixel: (Int, Int) -> [UInt8]
  ) throws -> PixelImage {
    let bytes = (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y) } }
    return try #require(PixelImage(size: PixelSize(width: width, height: height), bytes: bytes))
  }

  private func sixels(_ image: PixelImage, colors: Int = 256) throws -> SixelPicture {
    let made = try #require(TerminalImage(image, for: .sixel, colors: colors))
    return try SixelPicture(made.payload)
  }

  @Test("a strict reader sees each pixel in its colour, and none where the picture has none")
  func exact() throws {
    let colors: [[UInt8]] = [
      [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [9, 9, 9, 0], [255, 255, 255, 255],
    ]
    for (width, height) in [(1, 1), (5, 6), (7, 13), (300, 8)] {
      let picture = try sixels(try image(width, height) { x, y in colors[(x / 3 + y) % 5] })
      #expect(picture.width == width && picture.height == height)
      for y in 0..<height {
        for x in 0..<width {
          let number = picture.pixels[y * width + x]
          let wanted = colors[(x / 3 + y) % 5]
          let parts = wanted[3] == 0 ? nil : wanted[..<3].map { Int($0) * 100 / 255 }
          #expect(picture.colors[number] == parts, "\(x), \(y)")
        }
      }
    }
  }

  @Test("many colours are reduced to the terminal's number, near the original ones")
  func fewer() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("SixelTests.fewer seed \(seed)")
    var random = SeededRandom(seed: seed)
    let many = try image(64, 60) { x, y in
      [UInt8(x * 4), UInt8(y * 4), UInt8.random(in: 0...60, using: &random), 255]
    }
    for (limit, distance) in [(2, 140), (16, 60), (256, 25)] {
      let picture = try sixels(many, colors: limit)
      #expect(picture.colors.count <= limit && picture.colors.count > limit / 2)
      var sum = 0
      for (place, number) in picture.pixels.enumerated() {
        let parts = try #require(picture.colors[number], "seed \(seed)")
        for part in 0..<3 {
          sum += abs(parts[part] * 255 / 100 - Int(many.bytes[place * 4 + part]))
        }
      }
      #expect(sum / picture.pixels.count < distance, "\(limit) colours, seed \(seed)")
    }
  }

  @Test("kitty gets the pixels unchanged, without opacity if all are opaque")
  func kitty() throws {
    let plain = try image(2, 1) { x, _ in [UInt8(x), 2, 3, 255] }
    let made = try #require(TerminalImage(plain, for: .kitty, colors: 0))
    #expect(!made.isTranslucent && Base64.decode(made.payload[...]) == [0, 2, 3, 1, 2, 3])
    let clear = try image(1, 1) { _, _ in [1, 2, 3, 128] }
    let other = try #require(TerminalImage(clear, for: .kitty, colors: 0))
    #expect(other.isTranslucent && Base64.decode(other.payload[...]) == [1, 2, 3, 128])
    #expect(made.cells(of: PixelSize(width: 2, height: 2)) == Size(width: 1, height: 1))
    #expect(made.cells(of: PixelSize(width: 1, height: 1)) == Size(width: 2, height: 1))
  }
}
