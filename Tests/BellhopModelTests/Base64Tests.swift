import BellhopModel
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test(
    "base64 follows RFC 4648",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("~~?", "fn4/"), (">>>", "Pj4+"),
    ])
  func examples(text: String, encoded: String) {
    let bytes = Array(text.utf8)
    #expect(Base64.encode(bytes) == encoded)
    #expect(Base64.ascii(bytes) == Array(encoded.utf8))
    let forURLs = encoded.replacing("=", with: "").replacing("+", with: "-").replacing(
      "/", with: "_")
    #expect(Base64URL.encode(bytes) == forURLs)
  }

  @Test("encoded bytes are decoded to the same bytes")
  func bothWays() {
    for count in 0..<20 {
      let bytes = (0..<count).map { UInt8($0 * 37 % 256) }
      #expect(Base64.decode(Base64.ascii(bytes)[...]) == bytes)
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
      #expect(Base64.decodeLeniently(Base64.encode(bytes)) == bytes)
      #expect(Base64.decodeLeniently(Base64URL.encode(bytes)) == bytes)
    }
  }

  @Test(
    "text that is not in whole groups of the standard alphabet is refused",
    arguments: ["A", "AA=A", "====", "A===", "AAA\n", "AA-_", "=AAA"])
  func strict(text: String) {
    #expect(Base64.decode(Array(text.utf8)[...]) == nil)
  }

  @Test(
    "text that is not valid base64 for URLs is refused",
    arguments: ["A", "AA==", "AAA\n", "+/8A", "AAAAA", "AB", "AAB", "A A"])
  func canonical(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test("text from other programs may use either alphabet, but no other characters")
  func lenient() {
    #expect(Base64.decodeLeniently("-_8") == [0xFB, 0xFF])
    #expect(Base64.decodeLeniently("+/8=") == [0xFB, 0xFF])
    #expect(Base64.decodeLeniently("AAA\n") == nil)
    #expect(Base64.decodeLeniently("!") == nil)
  }
}
