import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

@testable import BellhopServer

@Suite("Work on request bodies")
struct LargeBodyTests {
  private static let size = 1 << 20
  /// One character of a megabyte.
  private static let endless = "a" + String(repeating: "\u{301}", count: 1 << 19)

  @Test("a large body is worked on away from the event loop, a small one on it")
  func executor() async throws {
    let bodies = LargeBodies()
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    try await withTaskExecutorPreference(LoopExecutor.of(loop)) {
      for (bytes, isOnLoop) in [
        (LargeBodies.bytesMin, true), (LargeBodies.bytesMin + 1, false), (0, true),
      ] {
        let isThere = try await bodies.run(bytes: bytes) { loop.inEventLoop }
        #expect(isThere == isOnLoop, "\(bytes)")
        let isStillThere = try await bodies.run(bytes: bytes) {
          // Suspends, so that it goes on where the executor says.
          await Task {}.value
          return loop.inEventLoop
        }
        #expect(isStillThere == isOnLoop, "\(bytes), after waiting")
      }
      #expect(loop.inEventLoop)
    }
    #expect(bodies.count == 2)
  }

  @Test("every endpoint that takes a large body works on it there")
  func endpoints() async throws {
    let store = try await InProcessStore()
    let device = DeviceID("d")
    let token = try await store.deviceToken(device)
    let long = String(repeating: "x", count: LargeBodies.bytesMin)
    let form = "application/x-www-form-urlencoded"
    let requests: [(String, String, String)] = [
      ("/v1.0/me/notifications/bulk", "", PublishTests.body(long)),
      ("/v1.0/$batch", "", #"{"requests":[],"x":"\#(long)"}"#),
      (Route.operations(device).path, "", #"{"x":"\#(long)"}"#),
      ("/notify/nas", "application/json", #"{"body":"\#(long)"}"#),
      ("/notify/nas", form, "body=" + long),
      ("/notify/nas", "multipart/form-data; boundary=b", Self.part("name=body", long)),
      ("/hooks/github", "application/json", #"{"zen":"\#(long)"}"#),
    ]
    for (number, (path, type, text)) in requests.enumerated() {
      let before = store.server.largeBodies.count
      _ = try await store.send(
        .post, path, token: token, text: text,
        headers: type.isEmpty ? [:] : ["Content-Type": type])
      #expect(store.server.largeBodies.count == before + 1, "\(number): \(path)")
    }
    let before = store.server.largeBodies.count
    _ = try await store.send(.post, "/notify/nas", token: token, text: #"{"body":"x"}"#)
    #expect(store.server.largeBodies.count == before)
  }

  @Test("a packed body is unpacked there when it may become large")
  func packed() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken()
    for (path, isLarge) in [("/notify/nas", true), (Route.notifications.path, false)] {
      let before = store.server.largeBodies.count
      _ = try await store.send(
        .post, path, token: token, body: [0x1f, 0x8b, 0x08],
        headers: ["Content-Encoding": "gzip"])
      #expect(store.server.largeBodies.count == before + (isLarge ? 1 : 0), "\(path)")
    }
  }

  // MARK: - Forms

  private static func part(_ parameters: String, _ value: String) -> String {
    "--b\r\nContent-Disposition: form-data; \(parameters)\r\n\r\n\(value)\r\n--b--\r\n"
  }

  private func content(
    _ text: String, type: String = "multipart/form-data; boundary=b"
  ) throws -> (members: [String: JSONValue], files: [FormBody.File]) {
    try FormBody.content(of: ByteBuffer(string: text), contentType: type, depthMax: 64)
  }

  @Test("the headers of a part are bounded before anything is done with them")
  func partHeads() throws {
    let megabytes = String(repeating: "n", count: Self.size - 200)
    for parameters in [
      "filename=\"\(megabytes)\"", "filename*=UTF-8''\(megabytes)", "filename=\(Self.endless)",
      String(repeating: ";", count: Self.size - 200),
    ] {
      let failure = #expect(throws: Failure.self) { try content(Self.part(parameters, "x")) }
      #expect(failure?.message.contains("8192 bytes of headers") == true)
    }
    let headless = #expect(throws: Failure.self) { try content("--b\r\nno headers--b--") }
    #expect(headless?.message.contains("a part has no headers") == true)
    // 8 KiB are not too many.
    let name = String(repeating: "n", count: 8192 - 60)
    #expect(try content(Self.part("filename=\(name)", "x")).files.map(\.name) == [name])
  }

  @Test("parts are told apart as before")
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

  @Test("a form has a bounded number of fields")
  func fields() throws {
    let type = "application/x-www-form-urlencoded"
    let failure = #expect(throws: Failure.self) {
      try content(String(repeating: "&", count: Self.size), type: type)
    }
    #expect(failure?.message.contains("at most 1000 fields") == true)
    let many = (0..<1000).map { "f\($0)=1" }.joined(separator: "&")
    #expect(try content(many, type: type).members.count == 1000)
    let long = try content("body=" + String(repeating: "+", count: Self.size), type: type)
    #expect(long.members["body"]?.text?.utf8.count == Self.size)
  }

  // MARK: - Texts

  @Test("titles are made of the beginning of a message, however long its first character is")
  func titles() {
    let visual = MessageText.visual(title: nil, message: Self.endless)
    #expect(visual.title == "…" && visual.body == Self.endless)
    for (message, title) in [
      ("\n \n  two\r\nthree", "  two"), ("one", "one"), ("", "triggered"), (" \n\t", "triggered"),
      ("a\u{2028}b", "a"), ("\u{b}x\u{85}y", "x"),
      (String(repeating: "é", count: 300), String(repeating: "é", count: 98) + "…"),
    ] {
      #expect(MessageText.visual(title: nil, message: message).title == title)
    }
    #expect(MessageText.visual(title: " \n", message: "m").title == "m")
  }

  @Test("a cut falls between characters, and U+0000 is left out")
  func cuts() {
    let family = "👩‍👩‍👧"
    for bytesMax in 20...60 {
      let cut = MessageText.clipped(String(repeating: family, count: 9), bytesMax: bytesMax)
      let count = (bytesMax - 3) / family.utf8.count
      #expect(cut == String(repeating: family, count: count) + "…")
    }
    #expect(MessageText.clipped("a\0b\0", bytesMax: 2) == "ab")
    #expect(MessageText.clipped("e\u{301}" + Self.endless, bytesMax: 200) == "e\u{301}…")
    #expect(MessageText.beginning(of: "aé", bytesMax: 2) == "a")
    #expect(MessageText.beginning(of: "aé", bytesMax: 3) == "aé")
  }

  @Test("a template takes of a value no more than a field can hold")
  func templates() {
    var template = HookTemplate(title: ["{t}", "{u}"])
    template.body = ["{t}{t}"]
    template.group = ["{t}"]
    let content = template.content(
      app: "a", HookInput(body: ["t": .string(Self.endless)], headers: [:]),
      limits: StoreLimits())
    #expect(content.visual?.title == "…" || content.visual?.title == "a")
    #expect((content.visual?.body?.utf8.count ?? 0) <= StoreLimits().visualBodyBytesMax)
    #expect(
      HookInput(body: ["t": .string(Self.endless)], headers: [:]).filled("{t}")?.utf8.count
        ?? 0 <= HookText.bytesMax)
  }

  @Test("empty lines of a bulk publication are counted, and not kept")
  func emptyLines() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken()
    let path = "/v1.0/me/notifications/bulk"
    let empty = String(repeating: "\n", count: 1 << 18)
    let none = try await store.send(.post, path, token: token, text: empty)
    #expect(none.status == 400 && none.text.contains("it is empty"))
    let one = try await store.send(
      .post, path, token: token, text: empty + PublishTests.body("x") + "\n \r\n{}")
    #expect(one.status == 200)
    let lines = one.text.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains("\"line\":\((1 << 18) + 1)") == true, "\(one.text)")
    #expect(lines.last?.contains("\"line\":\((1 << 18) + 3)") == true)
  }

  @Test("a parameter that comes twice is found among any number")
  func parameters() async throws {
    let store = try await InProcessStore(configure: { $0.targetBytesMax = 1 << 20 })
    let token = try await store.deviceToken()
    let many = (0..<20_000).map { "$p\($0)=1" }.joined(separator: "&")
    let answer = try await store.send(
      .get, Route.notifications.path + "?" + many + "&$p7=1", token: token)
    #expect(answer.status == 400 && answer.text.contains("$p7 is there twice"))
  }
}
