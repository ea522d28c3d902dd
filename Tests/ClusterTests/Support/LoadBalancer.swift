#if BELLHOP_POSTGRES
import BellhopTestSupport
import Foundation
import Glibc
import Synchronization

/// A load balancer in front of several stores: haproxy, or the test's own where that is missing.
///
/// `BELLHOP_CLUSTER_BALANCER=own` chooses the test's own.
final class LoadBalancer: Sendable {
  private enum Program: Sendable {
    case haproxy(LifelineProcess)
    case own(TCPRelay, checks: Task<Void, any Error>)
  }

  let port: Int
  private let program: Program

  var address: String { "http://127.0.0.1:\(port)" }

  /// The program that distributes the connections.
  var name: String {
    switch program {
    case .haproxy: "haproxy"
    case .own: "the test's own load balancer"
    }
  }

  private static let haproxy: String? = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy"]
    .first { access($0, X_OK) == 0 }

  init(stores: [Int], folder: String) async throws {
    port = try FreePorts.take(1)[0]
    let isOwn = ProcessInfo.processInfo.environment["BELLHOP_CLUSTER_BALANCER"] == "own"
    if !isOwn, let haproxy = Self.haproxy {
      let path = folder + "/haproxy.cfg"
      try Data(Self.configuration(port: port, stores: stores).utf8).write(to: URL(filePath: path))
      program = .haproxy(
        try await LifelineProcess("haproxy", [haproxy, "-db", "-f", path], folder: folder))
    } else {
      let ready = ReadyStores()
      let relay = try TCPRelay(port: port) { open in
        ready.ports.min { open[$0, default: 0] < open[$1, default: 0] }
      }
      let checks = Task<Void, any Error>.besidePrograms {
        while !Task.isCancelled {
          for store in stores {
            let answer = await StoreHTTP.readiness("http://127.0.0.1:\(store)")
            ready.note(store, isReady: answer?.status == 200)
          }
          try await nextTurn(after: .milliseconds(500))
        }
      }
      program = .own(relay, checks: checks)
    }
    do {
      try await eventually("a ready store behind \(name)", last: log) {
        await StoreHTTP.readiness(address)?.status == 200
      }
    } catch {
      await end()
      throw error
    }
  }

  /// The configuration for haproxy, like that in the manual, with quicker checks and without TLS.
  ///
  /// It never sends a publication twice: only a failed connection is tried again.
  private static func configuration(port: Int, stores: [Int]) -> String {
    let servers = stores.enumerated().map { index, store in
      "  server store\(index + 1) 127.0.0.1:\(store)"
    }
    return """
      global
        maxconn 2000
      defaults
        mode http
        timeout connect 2s
        timeout client 90s
        timeout server 90s
        timeout tunnel 1h
        timeout check 5s
        retries 3
        retry-on conn-failure
        option redispatch 1
        http-error status 503 content-type text/plain string "No store is ready." hdr Retry-After 1
      frontend clients
        bind 127.0.0.1:\(port)
        default_backend stores
      backend stores
        balance leastconn
        option httpchk GET /health/ready
        http-check expect status 200
        default-server check inter 500ms fall 2 rise 1
      \(servers.joined(separator: "\n"))

      """
  }

  private var log: String {
    switch program {
    case .haproxy(let process): process.logEnd
    case .own: ""
    }
  }

  func end() async {
    switch program {
    case .haproxy(let process): await process.end()
    case .own(let relay, let checks):
      checks.cancel()
      relay.end()
    }
  }
}

/// The stores that have passed the last check.
private final class ReadyStores: Sendable {
  private let state = Mutex<Set<Int>>([])

  var ports: Set<Int> { state.withLock { $0 } }

  func note(_ port: Int, isReady: Bool) {
    state.withLock { ready in
      ready.remove(port)
      if isReady { ready.insert(port) }
    }
  }
}
#endif
