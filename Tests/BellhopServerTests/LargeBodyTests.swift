import BellhopModel
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

@testable import BellhopServer

@Suite("Processing of request bodies")
struct LargeBodyTests {
  @Test("a large body is processed away from the event loop, a small one on it")
  func executor() async throws {
    let bodies = LargeBodies()
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    try await withTaskExecutorPreference(EventLoopExecutor.of(loop)) {
      for (bytes, isOnLoop) in [
        (LargeBodies.bytesMin, true), (LargeBodies.bytesMin + 1, false), (0, true),
      ] {
        let isThere = try await bodies.run(bytes: bytes) { loop.inEventLoop }
        #expect(isThere == isOnLoop, "\(bytes)")
        let isStillThere = try await bodies.run(bytes: bytes) {
          // Suspends, so that it resumes on the executor's thread.
          await Task {}.value
          return loop.inEventLoop
        }
        #expect(isStillThere == isOnLoop, "\(bytes), after waiting")
      }
      #expect(loop.inEventLoop)
    }
    #expect(bodies.count == 2)
  }

  @Test("every endpoint for large bodies processes them there")
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
      (
        "/notify/nas", "multipart/form-data; boundary=b",
        "--b\r\nContent-Disposition: form-data; name=body\r\n\r\n\(long)\r\n--b--\r\n"
      ),
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

  @Test("a compressed body that may become large is decompressed there")
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

  @Test("empty lines of a bulk publication are counted, and not kept in memory")
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

  @Test("a duplicate parameter is found among any number")
  func parameters() async throws {
    let store = try await InProcessStore(configure: { $0.targetBytesMax = 1 << 20 })
    let token = try await store.deviceToken()
    let many = (0..<20_000).map { "$p\($0)=1" }.joined(separator: "&")
    let answer = try await store.send(
      .get, Route.notifications.path + "?" + many + "&$p7=1", token: token)
    #expect(answer.status == 400 && answer.text.contains("$p7 occurs twice"))
  }
}
