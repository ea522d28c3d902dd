internal import BellhopCache
internal import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import BellhopWire

/// The `bellhop demo` command: the real screen on a real store, both temporary.
package enum DemoProgram {
  /// Opens the screen and returns when the user quits.
  ///
  /// A signal ends the program after the store is stopped and removed.
  ///
  /// - Throws: `ClientError`.
  package static func run(theme: String?) throws {
    ExitCode.exit(by: try play(theme: theme))
  }

  /// - Returns: The signal that ended the demo.
  private static func play(theme: String?) throws -> Int32? {
    let person = try ClientContext.live(saysWarnings: false)
    DemoFolder.sweep()
    let folder = try DemoFolder()
    defer { folder.remove() }

    let directories = Directories(root: folder.path)
    let context = try ClientContext(
      directories: directories, environment: person.environment, account: nil, usesPolling: nil,
      lifeline: LifetimePipe())
    let store = try context.privateStore()
    let account = try store.start(accounts: context.accounts).account
    defer { _ = try? store.stop() }

    let household = try household(store, account: account, context: context)
    defer { household.cancel() }
    return try ScreenProgram.show(
      [CacheAccess(context, account: account)], theme: theme ?? person.configuration.theme,
      background: ScreenMemory(person).load().background,
      greeting: "Sample data, deleted when you quit. T: a tour in five steps.")
  }

  /// Starts the simulated publishers and the second device, which run until they are cancelled.
  private static func household(
    _ store: PrivateStore, account: Account, context: ClientContext
  ) throws -> Task<Void, Never> {
    let token = try store.deviceToken(name: "work-laptop")
    let publisher = try EngineSetup.transport(for: account, context: context)
    let laptop = try HTTPTransport(
      HTTPTransport.Configuration(
        url: account.url, device: DeviceID("work-laptop-demo"), deviceName: "work-laptop",
        allowsInsecureHTTP: false),
      localTime: context.now, token: { token })
    let random = context.random
    let stream = try runBlocking { await publishFirst(DemoStream(random: random), over: publisher) }
    return Task.detached {
      await withDiscardingTaskGroup { group in
        group.addTask { await publish(stream, over: publisher) }
        group.addTask {
          var device = DemoDevice(transport: laptop, random: random, now: context.now)
          await device.run()
        }
      }
      await publisher.shutdown()
      await laptop.shutdown()
    }
  }

  /// The number of items that are present when the screen opens.
  private static let itemsAtOnce = 10

  private static func publishFirst(
    _ stream: DemoStream, over transport: HTTPTransport
  ) async -> DemoStream {
    var stream = stream
    try? await transport.configure(AppSettings.everyApp, .allow)
    for _ in 0..<itemsAtOnce {
      _ = try? await transport.publish(stream.next().content, idempotencyKey: nil)
    }
    return stream
  }

  private static func publish(_ stream: DemoStream, over transport: HTTPTransport) async {
    var stream = stream
    while !Task.isCancelled {
      let step = stream.next()
      guard (try? await ContinuousClock().sleep(for: step.pause)) != nil else { return }
      // A demo item that does not arrive is not worth reporting.
      _ = try? await transport.publish(step.content, idempotencyKey: nil)
    }
  }
}

/// The second device of the demo, which handles an item of the tray every few seconds.
private struct DemoDevice {
  let transport: HTTPTransport
  let random: @Sendable () -> UInt64
  let now: @Sendable () -> Timestamp
  private var token: DeltaToken?
  private var items: [NotificationID: UserNotification] = [:]
  private var number: Int64 = 0

  init(
    transport: HTTPTransport, random: @escaping @Sendable () -> UInt64,
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.transport = transport
    self.random = random
    self.now = now
  }

  mutating func run() async {
    guard (try? await transport.registerDevice(channel: .polling)) != nil else { return }
    while !Task.isCancelled {
      let pause = Duration.milliseconds(Int64(5000 + random() % 5000))
      guard (try? await ContinuousClock().sleep(for: pause)) != nil else { return }
      do {
        try await pull()
        try await handleOne()
      } catch {
        continue
      }
    }
  }

  private mutating func pull() async throws(TransportError) {
    var request: ChangeChunk.Request = token.map { .delta(since: $0) } ?? .page(nil)
    while true {
      let answer = try await transport.pull(request)
      for change in answer.changes {
        switch change {
        case .item(let item): items[item.id] = item
        case .state(let id, let state): items[id]?.state = state
        case .removed(let id, _): items[id] = nil
        case .app, .rule, .ruleRemoved: break
        }
      }
      switch answer.end {
      case .page(let next?, _, _): request = .page(next)
      case .page(nil, let start, _):
        token = start
        request = .delta(since: start)
      case .delta(let next, _, let isCaughtUp):
        token = next
        if isCaughtUp { return }
        request = .delta(since: next)
      }
    }
  }

  private mutating func handleOne() async throws(TransportError) {
    let now = now()
    let tray = items.values
      .filter {
        placement($0, at: now, on: SystemClock.wallClock).placement == .tray
          && $0.content.priority < .urgent
      }
      .sorted { $0.id < $1.id }
    // Leaves some items for the user.
    guard tray.count > 6, let item = tray.first else { return }
    number += 1
    let command: ItemCommand = random() % 3 == 0 ? .activate : .dismiss
    let operation = Operation(
      id: .version7(at: now, random: (random(), random())), target: .item(item.id),
      mutation: command.mutation, seen: item.state.contentSequence)
    _ = try await transport.send(
      OutboxBatch(
        lineage: Lineage("demo"),
        operations: [NumberedOperation(number: number, operation: operation)]))
  }
}
