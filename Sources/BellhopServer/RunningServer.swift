internal import BellhopModel
internal import BellhopNetwork
internal import BellhopStore
internal import Glibc
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import Synchronization

/// A ``StoreServer`` that listens on its sockets and sweeps the store regularly.
///
/// All listeners share one router and one service group. They start together, and end together when
/// one fails or a signal arrives. A server that shuts down first reports that it is not ready. After
/// ``ServerConfiguration/drainDelay`` it lets running requests finish and ends streams cleanly.
package struct RunningServer: Sendable {
  private let server: StoreServer
  private let group: ServiceGroup
  private let listeners: [Listener]
  private let stopsOnSignals: Bool
  private let notifier: SystemdNotifier?

  /// - Parameters:
  ///   - stopsOnSignals: Whether SIGTERM and SIGINT shut the server down and SIGHUP reloads its
  ///     certificate.
  ///   - notifier: Receives the states ready, reloading, stopping and alive.
  ///   - ready: Called once, when every listener accepts connections, with their actual addresses,
  ///     except the admin socket's.
  /// - Throws: ``ServerError`` when a socket's path is in use.
  package init(
    _ server: StoreServer, on listeners: [Listener], stopsOnSignals: Bool,
    notifier: SystemdNotifier? = nil,
    ready: @escaping @Sendable ([Listener]) -> Void
  ) throws {
    self.server = server
    self.listeners = listeners
    self.stopsOnSignals = stopsOnSignals
    self.notifier = notifier
    for listener in listeners { try SocketFile.makeRoom(for: listener) }
    try server.hooks.checkTrust()
    let gate = ReadyGate(count: listeners.count) { addresses in
      ready(addresses)
      notifier?.ready("Serving on " + addresses.map(\.description).joined(separator: " "))
    }
    let responders = Dictionary(
      uniqueKeysWithValues: Set(listeners.map(\.audience)).map {
        ($0, server.makeResponder(for: $0))
      })
    var logger = server.logger
    // The library's messages about its connections are for its own developers.
    logger.logLevel = max(logger.logLevel, .warning)
    var services: [any Service] = [
      SweepService(server: server), CatchUpService(server: server), server.hooks,
    ]
    // The first service shuts down last: the leases last until all work has ended.
    if server.store.isShared { services.insert(ProcessService(server: server), at: 0) }
    if server.store.hasPeers { services.append(PeerService(server: server)) }
    if let notifier, let interval = notifier.watchdogInterval {
      services.append(WatchdogService(server: server, notifier: notifier, interval: interval))
    }
    for (index, listener) in listeners.enumerated() {
      guard let responder = responders[listener.audience] else { continue }
      services.append(
        try ListenerService.make(listener, server, responder, logger: logger) { address in
          gate.opened(index, at: address)
        })
    }
    // The last service shuts down first: listeners wait until streams end.
    services.append(StreamService(server: server))
    var configuration = ServiceGroupConfiguration(
      services: services.map { .init(service: $0) }, logger: logger)
    configuration.maximumGracefulShutdownDuration = server.configuration.drainTimeout
    group = ServiceGroup(configuration: configuration)
  }

  /// Serves until the server shuts down, then closes the store.
  ///
  /// - Throws: ``ServerError``.
  package func run() async throws {
    let signals = stopsOnSignals ? await listenToSignals() : []
    defer { for signal in signals { signal.cancel() } }
    do {
      try await group.run()
    } catch {
      await server.store.close()
      throw Self.explain(error, listeners)
    }
    await server.store.close()
    for path in listeners.compactMap(\.socketPath) { unlink(path) }
  }

  private func listenToSignals() async -> [ProcessSignals] {
    [
      await ProcessSignals(ProcessSignals.termination) { [self] in
        notifier?.stopping()
        Task { await shutDown() }
      },
      await ProcessSignals(ProcessSignals.reload) { [server, notifier] in
        notifier?.reloading()
        _ = server.reload()
        notifier?.ready("Serving")
      },
    ]
  }

  /// Begins to shut down; ``run()`` returns when it is done.
  ///
  /// The server reports immediately that it is not ready, and still serves for
  /// ``ServerConfiguration/drainDelay``. A second call, as by a second signal, ends the delay.
  /// Cancelling the first call ends it, too.
  package func shutDown() async {
    let delay = server.configuration.drainDelay
    if server.activity.beginDrain(), delay > .zero {
      server.logger.notice(
        "the store reports that it is not ready, and stops after server.drain-delay",
        metadata: ["delay": .string("\(delay)")])
      try? await server.environment.sleep(delay)
    }
    await group.triggerGracefulShutdown()
  }

  private static func explain(_ error: any Error, _ listeners: [Listener]) -> ServerError {
    if let error = error as? ServerError { return error }
    let address = listeners.map(\.description).joined(separator: " or ")
    guard let error = error as? IOError else {
      switch NetworkError(error, at: .socket(path: address)) {
      case .unexpected: return .failed(reason: error.explanation.clause)
      case let failure: return .cannotListen(address, reason: failure.description)
      }
    }
    switch error.errnoCode {
    case EADDRINUSE: return .addressInUse(address)
    case EACCES, EPERM: return .notPermitted(address)
    default:  // open: CInt
      return .cannotListen(address, reason: String(cString: strerror(error.errnoCode)).clause)
    }
  }
}

/// A gate that calls back once every listener is open.
private final class ReadyGate: Sendable {
  private let addresses: Mutex<[Listener?]>
  private let ready: @Sendable ([Listener]) -> Void

  init(count: Int, ready: @escaping @Sendable ([Listener]) -> Void) {
    addresses = Mutex(Array(repeating: nil, count: count))
    self.ready = ready
  }

  func opened(_ index: Int, at address: Listener) {
    let all = addresses.withLock { addresses -> [Listener]? in
      addresses[index] = address
      let known = addresses.compactMap { $0 }
      guard known.count == addresses.count else { return nil }
      return known.filter { $0.audience == .everybody }
    }
    if let all { ready(all) }
  }
}

/// A service that reports to the service manager that the store is alive while storage responds.
private struct WatchdogService: Service {
  let server: StoreServer
  let notifier: SystemdNotifier
  let interval: Duration

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // A storage that fails is no reason for a restart; one that hangs is.
        _ = try? await server.store.users()
        notifier.alive()
        do { try await server.environment.sleep(interval / 2) } catch { return }
      }
    }
  }
}

/// A service that regularly removes expired items and old tombstones, in one process at a time.
private struct SweepService: Service {
  let server: StoreServer

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var isInDoubt = false
      var rollbacksKnown = 0
      var lifeChangesKnown = 0
      while !Task.isCancelled {
        let rollbacks = server.store.figures.rollbacks
        if rollbacks > rollbacksKnown {
          rollbacksKnown = rollbacks
          server.logger.warning(
            """
            An earlier state of the data replaced the one of the running store. All changes \
            after that state are lost. Devices fetch everything again. Tokens that were revoked \
            since then are valid again: revoke them once more.
            """)
        }
        let lifeChanges = server.store.figures.lifeChanges
        if lifeChanges > lifeChangesKnown {
          lifeChangesKnown = lifeChanges
          server.logger.warning(
            """
            Another life of the data began: the database failed over or lost changes, or an \
            administrator began another epoch. Devices fetch again what was lost. If tokens were \
            revoked shortly before, check that they are still revoked.
            """)
        }
        server.noteConcerns()
        do {
          let report = try await server.store.performUpkeep()
          if isInDoubt != (report.clockDoubt != nil) { tell(report.clockDoubt) }
          isInDoubt = report.clockDoubt != nil
          server.logger.debug(
            "swept",
            metadata: [
              "expired": .stringConvertible(report.expired),
              "tombstonesDropped": .stringConvertible(report.tombstonesDropped),
              "filesRemoved": .stringConvertible(report.filesRemoved),
            ])
        } catch {
          // The next round tries again. An expired item that stays a little longer does no harm.
          server.logger.warning(
            "sweep failed", metadata: ["detail": .string(String(describing: error))])
        }
        do { try await server.environment.sleep(server.configuration.sweepInterval) } catch {
          return
        }
      }
    }
  }
  /// Logs the beginning or end of a doubt about wall-clock time.
  private func tell(_ doubt: ClockDoubt?) {
    guard let doubt else {
      return server.logger.notice("wall-clock time is plausible: items expire again")
    }
    server.logger.warning(
      "wall-clock time is implausible: nothing expires",
      metadata: ["detail": .string(doubt.description)])
  }
}
