import HTTPTypes
import Hummingbird
import Synchronization

/// A writer that collects the body of a response.
final class BodyCollector: ResponseBodyWriter, Sendable {
  private let collected = Mutex<[UInt8]>([])

  var bytes: [UInt8] { collected.withLock { $0 } }

  func write(_ buffer: ByteBuffer) async throws {
    collected.withLock { $0 += Array(buffer: buffer) }
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
