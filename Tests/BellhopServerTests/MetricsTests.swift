import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopServer

@Suite("Metrics and health")
struct MetricsTests {
  private func sqlite(_ folder: TemporaryFolder) throws -> SQLiteBackend {
    try SQLiteBackend(path: folder.path + "/store.sqlite")
  }

  private func value(_ name: String, in text: String) -> Double? {
    text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
      .flatMap { Double($0.dropFirst(name.count + 1)) }
  }

  @Test("requests are counted by endpoint and not by address, and no user is named")
  func counting() async throws {
    let store = try await InProcessStore(users: ["alice-the-user"])
    let token = try await store.deviceToken(DeviceID("my-device"), of: "alice-the-user")
    _ = try await store.send(.post, "/secret-topic", token: token, text: "secret body")
    let first = try await store.send(.get, Route.delta.path, token: token)
      .decoded(DeltaPayload.self)
    guard case .complete(let position) = first.end else { return }
    store.time.advance(by: .seconds(2))
    _ = try await store.send(.post, "/secret-topic", token: token, text: "again")
    store.time.advance(by: .seconds(3))
    _ = try await store.send(.get, Route.deltaSince(position).path, token: token)
    _ = try await store.send(.get, "/nothing/is/here?q=secret")
    _ = try await store.send(.get, "/v1.0/me/devices/another-secret", token: token)
    let answer = try await store.send(.get, "/metrics")
    #expect(answer.status == 200)
    #expect(answer.header("Content-Type") == PrometheusText.contentType)
    let text = answer.text
    #expect(value("bellhop_publications_total", in: text) == 2)
    #expect(text.contains(#"endpoint="/{topic}",method="POST",status="200"} 2"#))
    #expect(text.contains(#"endpoint="none",method="GET",status="404"} 1"#))
    #expect(value("bellhop_sync_lag_seconds_count", in: text) == 1)
    #expect(text.contains("bellhop_sync_lag_seconds_bucket{le=\"2.5\"} 0"))
    #expect(text.contains("bellhop_sync_lag_seconds_bucket{le=\"5.0\"} 1"))
    #expect(value("bellhop_signal_streams_open", in: text) == 0)
    for secret in ["secret", "alice", "my-device", token] {
      #expect(!text.contains(secret), "\(secret)")
    }
  }

  @Test("every line follows the text format, and each metric is announced once")
  func format() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let store = try await InProcessStore(on: try sqlite(folder))
    let token = try await store.publishToken()
    for _ in 0..<3 { _ = try await store.send(.post, "/nas", token: token, text: "x") }
    let text = try await store.send(.get, "/metrics").text
    var announced: Set<Substring> = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# TYPE ") {
        #expect(announced.insert(line.split(separator: " ")[2]).inserted, "\(line)")
      } else if !line.hasPrefix("# HELP ") {
        let sample = try #require(
          line.wholeMatch(of: /([a-z_]+)(\{.*\})? (-?[0-9.e+-]+)/), "\(line)")
        let base = sample.1.replacing(/_(bucket|sum|count)$/, with: "")
        #expect(announced.contains(Substring(base)) || announced.contains(sample.1), "\(line)")
      }
    }
    #expect(value("bellhop_database_bytes", in: text) ?? 0 > 4096)
    #expect(value("bellhop_database_commit_duration_seconds_count", in: text) ?? 0 >= 3)
    #expect(value("bellhop_disk_free_bytes", in: text) ?? 0 > 0)
    #expect(value("bellhop_database_writes_waiting", in: text) == 0)
    #expect(value("bellhop_processes", in: text) == 1)
    #expect(value("bellhop_upkeep_lease_held", in: text) == 1)
    await store.service.close()
  }

  @Test("metrics are for this machine, or for holders of the token, as configured")
  func access() async throws {
    var configuration = ServerConfiguration(version: "0")
    func status(
      _ headers: [String: String] = [:], token: String? = nil
    ) async throws -> Int {
      let store = try await InProcessStore(
        metricsToken: AccessTokenSecret("the metrics token"), configure: { $0 = configuration })
      return try await store.send(.get, "/metrics", token: token, headers: headers).status
    }
    #expect(try await status() == 200)
    #expect(try await status(["X-Forwarded-For": "192.0.2.1"]) == 401, "it came by a proxy")
    #expect(try await status(token: "the metrics token") == 200)
    configuration.metrics = .token
    #expect(try await status() == 401)
    #expect(try await status(token: "the metrics token") == 200)
    #expect(try await status(token: "another token at all") == 401)
    configuration.metrics = .off
    #expect(try await status(token: "the metrics token") == 404)
  }

  @Test("the number of series is bounded, whatever is sent")
  func bounded() async throws {
    let metrics = ServerMetrics()
    for number in 0..<5000 {
      metrics.answered(.get, "\(number)", status: 200, after: .zero)
      metrics.answered(HTTPRequest.Method("M\(number)")!, nil, status: 405, after: .zero)
    }
    var text = PrometheusText()
    metrics.write(to: &text)
    let series = text.text.split(separator: "\n").count { $0.hasPrefix("bellhop_http_requests") }
    #expect(series == PrometheusRegistry.seriesMax)
    #expect(text.text.contains("method=\"other\""))
  }

  @Test("a running program is live; one whose disk is short of space is not ready")
  func health() async throws {
    var configuration = ServerConfiguration(version: "1.2.3")
    configuration.readinessTimeout = .seconds(600)
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let ready = try await InProcessStore(
      on: try sqlite(folder), configure: { $0 = configuration })
    for path in ["/health", "/health/live", "/health/ready", "/v1/health"] {
      #expect(try await ready.send(.get, path).status == 200, "\(path)")
    }
    #expect(try await ready.send(.get, "/health").text.contains("1.2.3"))
    await ready.service.close()
    ready.time.advance(by: .seconds(60))
    let closed = try await ready.send(.get, "/health/ready")
    #expect(closed.status == 503)
    #expect(closed.text.contains("cannot be written"))
    #expect(try await ready.send(.get, "/health").status == 503)
    #expect(try await ready.send(.get, "/health/live").status == 200)

    configuration.diskFreeBytesMin = .max
    let second = try TemporaryFolder()
    defer { second.remove() }
    let full = try await InProcessStore(
      on: try sqlite(second), configure: { $0 = configuration })
    #expect(try await full.send(.get, "/health/ready").status == 503)
    #expect(try await full.send(.get, "/health/live").status == 200)
    await full.service.close()
  }

  @Test("frequent health checks write seldom")
  func cached() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let store = try await InProcessStore(on: try sqlite(folder))
    let before = try await store.service.storageFigures().writes
    for _ in 0..<20 { _ = try await store.send(.get, "/health") }
    #expect(try await store.service.storageFigures().writes == before + 1)
    store.time.advance(by: .seconds(6))
    _ = try await store.send(.get, "/health")
    #expect(try await store.service.storageFigures().writes == before + 2)
    await store.service.close()
  }
}
