import BellhopServer
import BellhopTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@Suite("Shutdown", .timeLimit(.minutes(10)))
struct ShutdownTests {
  /// A client that keeps its connection, and reconnects at once until the server stops listening.
  ///
  /// Engines do this when their streams of signals end.
  private final class Faithful: Sendable {
    private let answers = Mutex(0)

    var answerCount: Int { answers.withLock { $0 } }

    /// Returns when the server no longer listens; runs on a thread that may block.
    func visit(_ port: Int) async {
      await withCheckedContinuation { continuation in
        Thread { [self] in
          while let connection = RawConnection(toWhomeverListensOn: port) {
            connection.write("GET /health/live HTTP/1.1\r\nHost: store\r\n\r\n")
            var buffer = [UInt8](repeating: 0, count: 4096)
            if recv(connection.descriptor, &buffer, buffer.count, 0) > 0 {
              answers.withLock { $0 += 1 }
            }
            while recv(connection.descriptor, &buffer, buffer.count, 0) > 0 {}
          }
          continuation.resume()
        }.start()
      }
    }
  }

  @Test("connections that arrive during shutdown do not delay it")
  func lateConnections() async throws {
    for _ in 1...40 {
      let store = try await InProcessStore(configure: { configuration in
        // Every wait lasts until this time limit.
        configuration.drainTimeout = .seconds(3600)
        configuration.idleTimeout = .seconds(3600)
      })
      try await withRunningServer(store.server) { addresses, running in
        guard case .tcp(_, let port)? = addresses.first else { return }
        let client = Faithful()
        await withTaskGroup(of: Void.self) { group in
          for _ in 1...8 { group.addTask { await client.visit(port) } }
          do {
            try await eventually("eight answers", last: "\(client.answerCount) answers") {
              client.answerCount >= 8
            }
          } catch {
            Issue.record(error)
          }
          await running.shutDown()
        }
      }
    }
  }
}
