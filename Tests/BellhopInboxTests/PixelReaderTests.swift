import BellhopModel
import BellhopScreen
import BellhopTestSupport
import Testing

@testable import BellhopInbox

@Suite("Pixels from another program's output")
struct PixelReaderTests {
  private static let limit = PixelSize(width: 64, height: 48)

  /// Sequences as chafa writes them: keys, then pieces of pixels.
  private static func sequences(
    _ keys: String = "a=T,f=32,s=2,v=1,c=1,r=1", _ pieces: [[UInt8]] = [[1, 2, 3, 4, 5, 6, 7, 8]]
  ) -> [UInt8] {
    var text = "\u{1B}_G\(keys),m=1\u{1B}\\"
    for piece in pieces { text += "\u{1B}_Gm=1;\(Base64.encode(piece))\u{1B}\\" }
    return Array((text + "\u{1B}_Gm=0\u{1B}\\").utf8)
  }

  private func flaw(_ bytes: [UInt8]) -> PictureError? {
    do throws(PictureError) {
      _ = try PixelImage(drawn: bytes, within: Self.limit)
      return nil
    } catch {
      return error
    }
  }

  @Test("pixels are read whole, however they are split, with or without opacity")
  func read() throws {
    let image = try PixelImage(drawn: Self.sequences(), within: Self.limit)
    #expect(image.size == PixelSize(width: 2, height: 1))
    #expect(image.bytes == [1, 2, 3, 4, 5, 6, 7, 8])
    let cut = Self.sequences("a=T,t=d,q=2,f=24,s=2,v=1", [[1], [2, 3, 4, 5], [6]])
    #expect(
      try PixelImage(drawn: cut, within: Self.limit).bytes == [1, 2, 3, 0xFF, 4, 5, 6, 0xFF])
    let whole = Array("\u{1B}_Ga=T,f=24,s=1,v=1;AAAA\u{1B}\\\n".utf8)
    #expect(try PixelImage(drawn: whole, within: Self.limit).bytes == [0, 0, 0, 0xFF])
  }

  @Test(
    "anything except such a sequence is refused",
    arguments: [
      "", "x", "\u{1B}[2J", "\u{1B}]0;x\u{7}", "\u{1B}P0;1;0q#0\u{1B}\\", "\u{1B}_Ga=d\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=1,v=1;AAAA", "\u{1B}_Ga=T,f=24,s=1,v=1;AAAA\u{7}",
      "\u{1B}_Ga=T,f=24,s=1,v=1;AA!A\u{1B}\\", "\u{1B}_Ga=T,f=24,s=1,v=1;AAA\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=1,v=1;AA==\u{1B}\\", "\u{1B}_Ga=T,f=24,s=1,v=1;AAAAAAAA\u{1B}\\",
      "\u{1B}_Ga=T,f=100,s=1,v=1;AAAA\u{1B}\\", "\u{1B}_Ga=T,f=24,s=0,v=1;\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=65,v=1;AAAA\u{1B}\\", "\u{1B}_Ga=T,f=24,s=1,v=99999;AAAA\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=1,s=1,v=1;AAAA\u{1B}\\", "\u{1B}_Ga=T,f=24,s=-1,v=1;AAAA\u{1B}\\",
      "\u{1B}_Ga=T,t=f,f=24,s=1,v=1;L2V0Yy9w\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=1,v=1,U=1;AAAA\u{1B}\\", "\u{1B}_Ga=T,f=24,s=1,v=1,;AAAA\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=1,v=1;AAAA\u{1B}\\x", "\u{1B}_Gm=0;AAAA\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=1,v=1;AAAA\u{1B}\\\u{1B}_Gm=0;AAAA\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=1,v=1,m=1;AAAA\u{1B}\\\u{1B}_Ga=T,f=24,s=1,v=1;AAAA\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=1,v=1,m=1;AAAA\u{1B}\\\n\u{1B}_Gm=0\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=1,v=1,m=1;AAAA\u{1B}\\",
    ])
  func refused(text: String) {
    #expect(flaw(Array(text.utf8)) != nil)
  }

  @Test("too many keys, or too long pieces, are refused")
  func long() {
    let keys = "a=T,f=24,s=1,v=1," + String(repeating: "q=2,", count: 50)
    #expect(flaw(Array("\u{1B}_G\(keys);AAAA\u{1B}\\".utf8)) != nil)
    let piece = String(repeating: "A", count: 12_000)
    #expect(flaw(Array("\u{1B}_Ga=T,f=24,s=64,v=48;\(piece)\u{1B}\\".utf8)) != nil)
  }

  @Test("no input fails in another way, or gives a picture larger than requested")
  func anything() {
    let seed = UInt64.random(in: 0 ... .max)
    print("PixelReaderTests.anything seed \(seed)")
    var random = SeededRandom(seed: seed)
    let valid = Self.sequences(
      "a=T,f=32,s=4,v=4,c=1,r=1", (0..<4).map { [UInt8](repeating: UInt8($0), count: 16) })
    let likely = Array("\u{1B}_G\\;,=Tafsvcrmq0123456789AZaz+/\n".utf8)
    var read = 0
    for _ in 0..<5_000 {
      var bytes = valid
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let byte = likely.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = byte
        case 1: bytes.insert(byte, at: place)
        case 2 where bytes.count > 1: bytes.remove(at: place)
        default: bytes = Array(bytes[..<max(1, place)])
        }
      }
      guard let image = try? PixelImage(drawn: bytes, within: Self.limit) else { continue }
      read += 1
      #expect(image.size.width <= Self.limit.width && image.size.height <= Self.limit.height)
      #expect(image.bytes.count == image.size.count * 4, "seed \(seed)")
    }
    #expect(read > 500, "seed \(seed)")
  }
}
