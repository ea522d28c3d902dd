import BellhopServer
import BellhopTestSupport
import BellhopWire
import NIOCore
import Testing

@testable import BellhopDialects

@Suite("Publications as forms")
struct FormBodyTests {
  private static let size = 1 << 20

  private static func part(_ parameters: String, _ value: String) -> String {
    "--b\r\nContent-Disposition: form-data; \(parameters)\r\n\r\n\(value)\r\n--b--\r\n"
  }

  private func content(
    _ text: String, type: String = "multipart/form-data; boundary=b"
  ) throws -> (members: [String: JSONValue], files: [FormBody.File]) {
    try FormBody.content(of: ByteBuffer(string: text), contentType: type, depthMax: 64)
  }

  @Test("the headers of a part are limited before they are parsed")
  func partHeads() throws {
    let megabytes = String(repeating: "n", count: Self.size - 200)
    for parameters in [
      "filename=\"\(megabytes)\"", "filename*=UTF-8''\(megabytes)",
      "filename=\(HostileStrings.endless)",
      String(repeating: ";", count: Self.size - 200),
    ] {
      let failure = #expect(throws: RequestError.self) { try content(Self.part(parameters, "x")) }
      #expect(failure?.message.contains("8192 bytes of headers") == true)
    }
    let headless = #expect(throws: RequestError.self) { try content("--b\r\nno headers--b--") }
    #expect(headless?.message.contains("a part has no headers") == true)
    // 8 KiB are allowed.
    let name = String(repeating: "n", count: 8192 - 60)
    #expect(try content(Self.part("filename=\(name)", "x")).files.map(\.name) == [name])
  }

  @Test("parts are split at their boundary, each with its name and its file name")
  func parts() throws {
    let text = """
      preamble\r
      --b\r
      content-DISPOSITION: form-data; name="title"\r
      \r
      one\r
      --b\r
      Content-Type: text/plain\r
      Content-Disposition: form-data; name=file; filename="a.txt"; filename*=utf-8''gr%C3%BCn.txt\r
      \r
      \r
      two\r
      \r
      --b\r
      Content-Type: text/plain\r
      \r
      of no name\r
      --b--\r

      """
    let (members, files) = try content(text)
    #expect(members == ["title": "one"])
    #expect(files == [.init(name: "grün.txt", bytes: Array("\r\ntwo\r\n".utf8))])
    let fields = try content("a+b=%C3%BC+c&d&=e&a+b=2", type: "application/x-www-form-urlencoded")
    #expect(fields.members == ["a b": "ü c", "d": "", "": "e"])
  }

  @Test("the number of fields in a form is limited")
  func fields() throws {
    let type = "application/x-www-form-urlencoded"
    let failure = #expect(throws: RequestError.self) {
      try content(String(repeating: "&", count: Self.size), type: type)
    }
    #expect(failure?.message.contains("at most 1000 fields") == true)
    let many = (0..<1000).map { "f\($0)=1" }.joined(separator: "&")
    #expect(try content(many, type: type).members.count == 1000)
    let long = try content("body=" + String(repeating: "+", count: Self.size), type: type)
    #expect(long.members["body"]?.text?.utf8.count == Self.size)
  }
}
