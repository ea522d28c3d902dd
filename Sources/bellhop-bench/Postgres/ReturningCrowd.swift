#if BELLHOP_POSTGRES
import BellhopSync
import Glibc

/// A crowd of devices with open signal streams, which connect again when their process dies.
///
/// They wait as the client does: at first a random part of ``EnginePolicy/reconnectSpread``, then a back-off
/// that doubles with each failure. Only one response at a time is awaited, so that memory and threads stay
/// few.
final class ReturningCrowd {
  /// The figures of a return.
  struct Return {
    /// The number of devices whose streams broke.
    var broken = 0
    /// The time from the death of the process until all streams are open, in seconds.
    var time = 0.0
    /// The number of attempts that a process refused, or did not answer.
    var refusals = 0
  }

  private static let policy = EnginePolicy()
  /// The longest wait for one response.
  private static let patience = Duration.seconds(10)

  private let tokens: [String]
  private var streams: [LoopbackConnection?]
  private var random = SplitMix(seed: 7)

  init(tokens: [String]) {
    self.tokens = tokens
    streams = Array(repeating: nil, count: tokens.count)
  }

  /// Opens all streams, spread over the ports.
  func arrive(at ports: [UInt16]) throws {
    for device in tokens.indices {
      do {
        streams[device] = try open(device, at: ports[device % ports.count])
      } catch {
        throw BenchError("device \(device + 1) could not connect: \(error)")
      }
    }
  }

  /// Returns the number of devices whose streams have ended. What was received is discarded.
  func countBroken() -> Int { streams.count { !($0?.drain() ?? false) } }

  /// Opens the broken streams at the remaining processes.
  ///
  /// - Parameter limit: The time after which it gives up.
  /// - Throws: ``BenchError`` if some streams are still missing then.
  func returnAll(
    to ports: [UInt16], since death: ContinuousClock.Instant, within limit: Duration
  ) throws -> Return {
    var result = Return()
    // Sorted by the time of the attempt, the last first.
    var waiting: [(at: ContinuousClock.Instant, device: Int, failures: Int)] = []
    for device in streams.indices where !(streams[device]?.drain() ?? false) {
      streams[device]?.close()
      streams[device] = nil
      waiting.append((at: death + pause(failures: 0), device: device, failures: 0))
    }
    result.broken = waiting.count
    waiting.sort { $0.at > $1.at }
    while let next = waiting.popLast() {
      let now = ContinuousClock.now
      guard now < death + limit else {
        throw BenchError("\(waiting.count + 1) devices have not returned in \(limit.inSeconds) s")
      }
      if now < next.at { usleep(UInt32((next.at - now).inMilliseconds * 1000)) }
      do {
        streams[next.device] = try open(next.device, at: ports[next.device % ports.count])
      } catch {
        result.refusals += 1
        let failures = next.failures + 1
        let at = ContinuousClock.now + pause(failures: failures)
        let place = waiting.firstIndex { $0.at < at } ?? waiting.endIndex
        waiting.insert((at: at, device: next.device, failures: failures), at: place)
      }
    }
    result.time = (ContinuousClock.now - death).inSeconds
    return result
  }

  /// Opens a stream, and returns once the process has accepted it.
  ///
  /// - Throws: ``BenchError`` for another status than 200.
  private func open(_ device: Int, at port: UInt16) throws -> LoopbackConnection {
    let connection = try LoopbackConnection(port: port)
    connection.setPatience(Self.patience)
    let head = try connection.ask(
      BenchRequests.signals(token: tokens[device]), .through("\r\n\r\n"))
    guard String(decoding: head.prefix(12), as: UTF8.self) == "HTTP/1.1 200" else {
      throw BenchError(response: head)
    }
    _ = try connection.receive(.through("event: "))
    return connection
  }

  /// Returns a random pause, as long as that of a client whose stream has ended and that then failed.
  private func pause(failures: Int) -> Duration {
    let policy = Self.policy
    guard failures > 0 else { return policy.reconnectSpread * random.unit() }
    let longest = min(policy.backOffFirst * (1 << min(failures, 12)), policy.backOffLongest)
    return longest * (0.5 + random.unit() / 2)
  }
}
#endif
