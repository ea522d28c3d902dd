import BellhopTestSupport
import BellhopWire
import Foundation
import Testing

@Suite("Any JSON")
struct JSONValueTests {
  @Test(
    "parsed JSON is written again, with members in the order of their names",
    arguments: [
      (#"{"b":1,"a":[true,false,null,{}],"c":[]}"#, #"{"a":[true,false,null,{}],"b":1,"c":[]}"#),
      (#" [ -0.5e+10 , 12345678901234567890 ] "#, "[-0.5e+10,12345678901234567890]"),
      (#""\ud83d\udca5 \u00e9\b\f\n\/""#, "\"💥 é\\u0008\\u000c\\u000a/\""),
      (#"{"a":1,"a":2}"#, #"{"a":2}"#), ("0", "0"),
    ])
  func roundTrip(text: String, written: String) throws {
    #expect(String(decoding: try JSONValue(parsing: text.utf8).bytes, as: UTF8.self) == written)
  }

  @Test(
    "invalid JSON is refused",
    arguments: [
      "", "{", "[1,]", "{\"a\"}", "01", "1.", "-", "1e", "+1", "nul", "'a'", "\"\\x\"",
      "\"\\ud83d\"",
      "\"\\udca5\"", "\"\\ud83d \\udca5\"", "\"a\nb\"", "1 2", "[1}", ".5", "tru",
      String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
    ])
  func refused(text: String) {
    #expect(throws: WireError.self) { try JSONValue(parsing: text.utf8) }
  }

  @Test("bytes that are not UTF-8 are refused")
  func encoding() {
    #expect(throws: WireError.self) { try JSONValue(parsing: [0x22, 0xff, 0x22] as [UInt8]) }
  }

  /// The examples of RFC 7396 appendix A.
  @Test(
    "a merge patch replaces, adds, removes and enters objects",
    arguments: [
      (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
      (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
      (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
      (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
      (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
      (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
      (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
      (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#), (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
      (#"{"a":"foo"}"#, "null", "null"), (#"{"e":null}"#, #"{"a":1}"#, #"{"a":1,"e":null}"#),
      ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
      ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
  func merging(target: String, patch: String, result: String) throws {
    let merged = try JSONValue(parsing: target.utf8).merged(with: JSONValue(parsing: patch.utf8))
    #expect(String(decoding: merged.bytes, as: UTF8.self) == result)
  }

  @Test("random bytes are parsed as the system's reader parses them, or refused")
  func random() throws {
    let seed: UInt64 = 42
    var random = SeededRandom(seed: seed)
    let alphabet = Array(#"{}[]",:0123456789.eE+-\ubntrfalse "#.utf8)
    for round in 0..<20_000 {
      let text = (0..<Int(random.next() % 12)).map { _ in
        alphabet[Int(random.next() % UInt64(alphabet.count))]
      }
      guard let value = try? JSONValue(parsing: text) else { continue }
      let known = try? JSONSerialization.jsonObject(
        with: Data(text), options: .fragmentsAllowed)
      // The system's numbers are limited to the range of `Double`.
      if text.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) { continue }
      #expect(
        known != nil, "seed \(seed), round \(round): \(String(decoding: text, as: UTF8.self))")
      #expect(try JSONValue(parsing: value.bytes) == value)
    }
  }
}
