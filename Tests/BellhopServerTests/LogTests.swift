import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import BellhopServer

@Suite("The log")
struct LogTests {
  /// Keeps every line, of every level.
  private final class Recorder: Sendable {
    private let kept = Mutex<[String]>([])
    var lines: [String] { kept.withLock { $0 } }
    func add(_ line: String) { kept.withLock { $0.append(line) } }
  }

  private struct RecordingHandler: LogHandler {
    let recorder: Recorder
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let merged = metadata.merging(event.metadata ?? [:]) { $1 }
      recorder.add("\(event.level) \(event.message) \(merged)")
    }
  }

  @Test("no line of any level contains tokens, queries or bodies sent to any endpoint")
  func planted() async throws {
    let recorder = Recorder()
    var logger = Logger(label: "test") { _ in RecordingHandler(recorder: recorder) }
    logger.logLevel = .trace
    let store = try await InProcessStore(logger: logger)
    let good = try await store.deviceToken(DeviceID("d"))
    let publisher = try await store.publishToken()
    let plants = ["PLANTEDHEADER", "PLANTEDQUERY", "PLANTEDBODY", "PLANTEDPATH", good, publisher]
    let bodies = [
      #"{"targetHostName":"PLANTEDBODY","payload":{"rawContent":"PLANTEDBODY"}}"#,
      "PLANTEDBODY", #"{"PLANTEDBODY": ["#, #"{"id":"PLANTEDBODY","user":"PLANTEDBODY"}"#,
    ]
    for (path, endpoints) in store.server.table where !path.hasSuffix("signal") {
      let path = path.replacing(/:[a-z]+/, with: "PLANTEDPATH")
      for endpoint in endpoints {
        for (index, token) in [good, publisher, "blh_PLANTEDHEADER", nil].enumerated() {
          _ = try await store.send(
            endpoint.method, path + "?auth=PLANTEDQUERY&$filter=PLANTEDQUERY", token: token,
            text: bodies[index],
            headers: [
              "Title": "PLANTEDHEADER", "Cookie": "PLANTEDHEADER", "X-Other": "PLANTEDHEADER",
              "Idempotency-Key": "PLANTEDHEADER", "If-Match": "PLANTEDHEADER",
              "client-request-id": "PLANTEDHEADER",
            ])
        }
      }
    }
    _ = try await store.send(.get, "/PLANTEDPATH/is/not/served?PLANTEDQUERY", token: good)
    let administrator = Administrator.direct(store.server)
    let minted = try await administrator.send(
      .mint(NewTokenPayload(user: "me", scope: "device", name: "PLANTEDBODY", expires: nil)))
    _ = try? await administrator.send(.removeUser("PLANTEDPATH"))
    #expect(recorder.lines.count > 100)
    for plant in plants + [minted.token] {
      let line = recorder.lines.first { $0.contains(plant) }
      #expect(line == nil, "\(line ?? "")")
    }
    #expect(
      recorder.lines.allSatisfy { $0.contains("request-id") }, "each line names its request")
  }

  @Test("log lines contain no control characters from outside")
  func escaping() {
    #expect(LineLogHandler.quoted("a\u{1b}[31m\r\nb") == #""a\u001b[31m\u000d\nb""#)
    #expect(
      LineLogHandler.quoted("\u{202E}\u{2066}\u{200B}\u{FEFF}\u{E0041}")
        == #""\u202e\u2066\u200b\ufeff\udb40\udc41""#)
  }
}
