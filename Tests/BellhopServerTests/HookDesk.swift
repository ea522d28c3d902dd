import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopServer

/// A store with a hook to deliver to, on a clock that only the test moves.
struct HookDesk: Sendable {
  let store: InProcessStore
  let clock: ManualClock
  let stub: HookStub
  /// A device token.
  let token: String

  /// - Parameters:
  ///   - clock: The clock of all delays; several desks may share it, as they may share ``time``.
  ///   - resolve: The addresses of a name; this machine's for every name if nil.
  init(
    on backend: (any StorageBackend)? = nil, stub: HookStub? = nil, users: [String] = ["me"],
    limits: StoreLimits = StoreLimits(), isSoleWriter: Bool = true,
    time: SettableTime = SettableTime(), clock: ManualClock = ManualClock(), seed: UInt64 = 1,
    resolve: (@Sendable (String) -> [String])? = nil, peers: (any PeerChannel)? = nil,
    configure: (inout HookConfiguration) -> Void = { _ in },
    adjust: (inout ServerEnvironment) -> Void = { _ in }
  ) async throws {
    if let stub { self.stub = stub } else { self.stub = try await HookStub.start() }
    store = try await InProcessStore(
      on: backend, users: users, limits: limits, isSoleWriter: isSoleWriter, time: time, seed: seed,
      peers: peers,
      configure: { configuration in
        configuration.hooks.allowedNetworks = [IPNetwork("127.0.0.0/8")!]
        configuration.hooks.allowsPlain = true
        // Only the subject of a test may move the clock.
        configuration.hooks.pollInterval = .seconds(1_000_000_000)
        configure(&configuration.hooks)
      },
      adjust: { environment in
        environment.sleep = { try await clock.sleep(for: $0) }
        environment.resolve = { host, _ in
          (resolve?(host) ?? ["127.0.0.1"]).compactMap { IPAddress($0) }
        }
        adjust(&environment)
      })
    self.clock = clock
    token = try await store.deviceToken()
  }

  /// Runs `body` while the store delivers to its hooks.
  func telling(_ body: () async throws -> Void) async throws {
    let hooks = store.server.hooks
    let task = Task { await hooks.tellAll() }
    do { try await body() } catch {
      task.cancel()
      await task.value
      throw error
    }
    task.cancel()
    await task.value
  }

  func advance(by duration: Duration) {
    store.time.advance(by: duration)
    clock.advance(by: duration)
  }

  /// Moves the clock to the next event within `stepMax` until the condition holds.
  ///
  /// While a hook is being called it does so only if `whileCalling` is true, because the call would
  /// time out.
  func drive(
    stepMax: Duration = .seconds(3600), whileCalling: Bool = false, until isDone: () -> Bool
  ) async throws {
    for _ in 0..<Self.stepsMax {
      // Each step has its own time limit, on a machine that is busy with other tests.
      try await eventually("what hooks do next", every: .zero, last: state) {
        if isDone() { return true }
        guard whileCalling || store.server.hooks.counts.calling == 0,
          let wake = clock.untilNextWake, wake <= stepMax
        else { return false }
        advance(by: wake)
        return true
      }
      if isDone() { return }
    }
    throw NotSeen("what hooks do in \(Self.stepsMax) steps", seen: state)
  }

  private static let stepsMax = 1000

  /// Waits while the clock stands still.
  func wait(until isDone: () -> Bool) async throws {
    try await eventually("what hooks do now", last: state, holds: isDone)
  }

  private var state: String {
    "\(store.server.hooks.counts)\nnext wake in \(String(describing: clock.untilNextWake))"
  }

  /// The body of a subscription, to this desk's hook by default.
  func body(
    to url: String? = nil, lifecycle: String? = nil, types: String = "created,updated,deleted",
    resource: String = "me/notifications", life: Duration = .seconds(86_400),
    more: String = ""
  ) -> String {
    let lifecycle = lifecycle.map { #","lifecycleNotificationUrl":"\#($0)""# } ?? ""
    return """
      {"changeType":"\(types)","notificationUrl":"\(url ?? stub.url)","resource":"\(resource)",
       "expirationDateTime":"\(store.time.now.advanced(by: life))",
       "clientState":"planted state"\(lifecycle)\(more)}
      """
  }

  func subscribe(_ body: String, token: String? = nil) async throws -> InProcessStore.Answer {
    try await store.send(
      .post, Route.subscriptions.path, token: token ?? self.token, text: body)
  }

  /// Subscribes and expects success.
  @discardableResult
  func subscribed(_ body: String? = nil) async throws -> SubscriptionPayload {
    let answer = try await subscribe(body ?? self.body())
    #expect(answer.status == 201, "\(answer.text)")
    return try answer.decoded(SubscriptionPayload.self)
  }

  /// Publishes an item and returns its id.
  @discardableResult
  func publish(_ title: String) async throws -> NotificationID {
    let answer = try await store.send(
      .post, Route.notifications.path, token: token,
      text: #"{"targetHostName":"a","payload":{"visualContent":{"title":"\#(title)"}}}"#)
    return try answer.decoded(NotificationPayload.self).item.id
  }
}
