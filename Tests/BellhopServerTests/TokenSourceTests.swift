import BellhopCache
import BellhopIdentity
import BellhopModel
import BellhopSync
import BellhopTestSupport
import BellhopWire
import Synchronization
import Testing

@testable import BellhopServer

/// The client's transport against a store that accepts a provider's tokens, over a real socket.
@Suite("Expiring tokens, on the client", .timeLimit(.minutes(10)))
struct TokenSourceTests {
  /// Supplies its tokens one after the other, the next one when the store refuses one.
  private final class Tokens: TokenSource {
    private let tokens: Mutex<[String]>
    private let refused = Mutex<[String]>([])

    init(_ tokens: [String]) { self.tokens = Mutex(tokens) }

    var refusedCount: Int { refused.withLock { $0.count } }

    func token() async throws(TransportError) -> String {
      guard let token = tokens.withLock({ $0.first }) else { throw .signInEnded }
      return token
    }

    func invalidated(_ token: String) async throws(TransportError) -> Bool {
      refused.withLock { $0.append(token) }
      return tokens.withLock { tokens in
        tokens.removeFirst()
        return !tokens.isEmpty
      }
    }

    func settle() async {}
  }

  private func withStore(
    _ body: @escaping @Sendable (InProcessStore, TestIssuer, _ url: String) async throws -> Void
  ) async throws {
    let provider = TestIssuer([try TestKey("ES256", id: "one")])
    let uptime = ManualUptime()
    let store = try await InProcessStore(
      users: ["me"],
      issuer: Issuer(
        IssuerRules(issuer: TestIssuer.address, audiences: ["bellhop"]), fetching: provider,
        uptime: { uptime.now }))
    try await withRunningServer(store.server) { addresses, _ in
      try await body(store, provider, "\(addresses[0])")
    }
  }

  private func transport(
    _ url: String, _ store: InProcessStore, _ tokens: Tokens
  ) throws -> HTTPTransport {
    try HTTPTransport(
      .init(url: url, device: DeviceID("laptop"), deviceName: "Laptop"),
      localTime: { store.time.now }, tokenSource: tokens)
  }

  @Test("a token that the store refuses is replaced, and the request repeated for its device")
  func replaced() async throws {
    try await withStore { store, provider, url in
      let now = store.time.now
      let expired = try provider.token(at: now, ["exp": 1_700_000_000])
      let tokens = Tokens([expired, try provider.token(at: now)])
      let transport = try transport(url, store, tokens)
      #expect(try await transport.registerDevice(channel: .polling).id == "laptop")
      #expect(tokens.refusedCount == 1)
      _ = try await transport.pull(.page(nil))
      // Without the device's name the sign-in would be bound to none.
      #expect(try await transport.devices().map(\.isCurrent) == [true])
      #expect(tokens.refusedCount == 1)
      await transport.shutdown()
    }
  }

  @Test("a request is repeated once, and an error that only the user can fix ends it")
  func refused() async throws {
    try await withStore { store, provider, url in
      let now = store.time.now
      let expired = try (1...3).map { try provider.token(at: now, ["exp": 1_700_000_000 + $0]) }
      for (count, refusals) in [(1, 1), (3, 1)] {
        let tokens = Tokens(Array(expired.prefix(count)))
        let transport = try transport(url, store, tokens)
        await #expect(throws: TransportError.unauthorized) {
          try await transport.pull(.page(nil))
        }
        #expect(tokens.refusedCount == refusals)
        await transport.shutdown()
      }
      let none = try transport(url, store, Tokens([]))
      await #expect(throws: TransportError.signInEnded) { try await none.pull(.page(nil)) }
      await none.shutdown()
    }
  }

  @Test("a signed-out device gets that error, and does not return with another token")
  func revoked() async throws {
    try await withStore { store, provider, url in
      let now = store.time.now
      let tokens = Tokens([try provider.token(at: now), try provider.token(at: now)])
      let transport = try transport(url, store, tokens)
      _ = try await transport.registerDevice(channel: .polling)
      try await transport.revokeDevice(DeviceID("laptop"))
      let error = await #expect(throws: TransportError.self) {
        try await transport.pull(.page(nil))
      }
      guard case .revoked? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(tokens.refusedCount == 0)
      await transport.shutdown()
    }
  }
}
