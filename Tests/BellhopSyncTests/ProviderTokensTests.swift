import BellhopModel
import BellhopSync
import BellhopTestSupport
import Foundation
import Synchronization
import Testing

/// A sign-in in memory, behind a real lock file.
private final class Shelf: SignInStorage {
  struct Full: Error {}

  private let signIn: Mutex<ProviderSignIn?>
  private let isFull = Mutex(false)
  private let folder: TemporaryFolder

  init(_ signIn: ProviderSignIn?) throws {
    self.signIn = Mutex(signIn)
    folder = try TemporaryFolder()
  }

  deinit { folder.remove() }

  var now: ProviderSignIn? { signIn.withLock { $0 } }
  func load() throws -> ProviderSignIn? { now }
  func fill(_ isFull: Bool) { self.isFull.withLock { $0 = isFull } }
  func save(_ signIn: ProviderSignIn) throws {
    if isFull.withLock({ $0 }) { throw Full() }
    self.signIn.withLock { $0 = signIn }
  }
  func makeLock() -> EngineLock { EngineLock(path: folder.path + "/sign-in.lock") }
}

/// A provider that gives a new pair of tokens for the latest refresh token, and only for that one.
private final class Provider: TokenRenewing {
  enum Mood: Sendable {
    case answers
    case isDown
    case refuses(ProviderSignIn.Refusal)
  }

  private struct State {
    var mood = Mood.answers
    var count = 0
    var isHeld = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.count } }
  var mood: Mood {
    get { state.withLock { $0.mood } }
    set { state.withLock { $0.mood = newValue } }
  }

  func hold() { state.withLock { $0.isHeld = true } }

  /// Returns when a request waits for ``release()``.
  func waitForRequest() async throws {
    try await eventually("a request that the provider holds") {
      state.withLock { !$0.waiting.isEmpty }
    }
  }

  func release() {
    let waiting = state.withLock { state in
      state.isHeld = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func renew(_ signIn: ProviderSignIn) async throws(TransportError) -> TokenRenewal {
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        if state.isHeld { state.waiting.append(continuation) }
        return !state.isHeld
      }
      if goesOn { continuation.resume() }
    }
    let (mood, number) = state.withLock { state in
      state.count += 1
      return (state.mood, state.count)
    }
    switch mood {
    case .isDown: throw .providerOffline("a test")
    case .refuses(let refusal): return .refused(refusal)
    case .answers:
      guard signIn.refreshToken == "refresh-\(number - 1)" else { return .refused(.final) }
      let json =
        #"{"access_token":"access-\#(number)","refresh_token":"refresh-\#(number)","expires_in":"#
        + #"600,"token_type":"Bearer"}"#
      do {
        return .renewed(try JSONDecoder().decode(ProviderTokenAnswer.self, from: Data(json.utf8)))
      } catch {
        throw .badAnswer("\(error)")
      }
    }
  }
}

@Suite("Tokens of an identity provider, on the device")
struct ProviderTokensTests {
  private let time = SettableTime()

  private func signIn(
    refreshToken: String? = "refresh-0", life: Int64 = 600
  ) -> ProviderSignIn {
    ProviderSignIn(
      issuer: "https://id.test", clientID: "bellhop", tokenEndpoint: "https://id.test/token",
      resource: nil, accessToken: "access-0", issued: time.now,
      expires: time.now.advanced(by: .seconds(life)), refreshToken: refreshToken)
  }

  private func tokens(_ shelf: Shelf, _ provider: Provider) -> ProviderTokens {
    let time = time
    return ProviderTokens(storage: shelf, provider: provider, localTime: { time.now })
  }

  private func failure(
    _ work: @Sendable () async throws -> Void
  ) async -> TransportError? {
    do {
      try await work()
      return nil
    } catch {
      return error as? TransportError
    }
  }

  @Test("a token is used until a minute before its end, and then renewed and stored")
  func renewal() async throws {
    let shelf = try Shelf(signIn())
    let provider = Provider()
    let tokens = tokens(shelf, provider)
    #expect(try await tokens.token() == "access-0")
    time.advance(by: .seconds(539))
    #expect(try await tokens.token() == "access-0")
    #expect(provider.count == 0)
    time.advance(by: .seconds(1))
    #expect(try await tokens.token() == "access-1")
    #expect(shelf.now?.accessToken == "access-1")
    #expect(shelf.now?.refreshToken == "refresh-1")
    #expect(shelf.now?.expires == time.now.advanced(by: .seconds(600)))
    #expect(try await tokens.token() == "access-1")
    #expect(provider.count == 1)
  }

  @Test("concurrent requests renew once, including those of other processes")
  func singleFlight() async throws {
    let shelf = try Shelf(signIn())
    let provider = Provider()
    // Two processes are two such objects over one file.
    let processes = [tokens(shelf, provider), tokens(shelf, provider)]
    time.advance(by: .seconds(590))
    provider.hold()
    let requests = (0..<20).map { index in
      Task { try await processes[index % 2].token() }
    }
    provider.release()
    for request in requests { #expect(try await request.value == "access-1") }
    #expect(provider.count == 1)
  }

  @Test("a caller that stops waiting does not stop the renewal")
  func cancelled() async throws {
    let shelf = try Shelf(signIn())
    let provider = Provider()
    let tokens = tokens(shelf, provider)
    time.advance(by: .seconds(600))
    provider.hold()
    let impatient = Task { await failure { _ = try await tokens.token() } }
    try await provider.waitForRequest()
    impatient.cancel()
    #expect(await impatient.value == .cancelled)
    let patient = Task { try await tokens.token() }
    provider.release()
    #expect(try await patient.value == "access-1")
    #expect(shelf.now?.refreshToken == "refresh-1")
    #expect(provider.count == 1)
  }

  @Test("the end of the process waits for an answer that would be lost, up to a limit")
  func settling() async throws {
    let shelf = try Shelf(signIn())
    let provider = Provider()
    let clock = ManualClock()
    let time = time
    let tokens = ProviderTokens(
      storage: shelf, provider: provider, localTime: { time.now }, clock: clock)
    await tokens.settle()
    time.advance(by: .seconds(600))
    provider.hold()
    let request = Task { await failure { _ = try await tokens.token() } }
    try await provider.waitForRequest()
    request.cancel()
    #expect(await request.value == .cancelled)
    let first = Task { await tokens.settle() }
    first.cancel()
    try await eventually("a wait for the renewal") { clock.sleeperCount > 0 }
    clock.advance(by: .seconds(5))
    await first.value
    #expect(shelf.now?.accessToken == "access-0")
    let second = Task { await tokens.settle() }
    try await eventually("a wait for the renewal") { clock.sleeperCount > 0 }
    provider.release()
    await second.value
    #expect(shelf.now?.accessToken == "access-1")
  }

  @Test("while the provider is down a token is used to its end, and then the account is offline")
  func providerDown() async throws {
    let shelf = try Shelf(signIn())
    let provider = Provider()
    provider.mood = .isDown
    let tokens = tokens(shelf, provider)
    time.advance(by: .seconds(599))
    for _ in 1...10 { #expect(try await tokens.token() == "access-0") }
    #expect(provider.count == 1)
    time.advance(by: .seconds(1))
    #expect(
      await failure { _ = try await tokens.token() } == .providerOffline("a test"))
    // The sign-in is not discarded.
    #expect(shelf.now?.refreshToken == "refresh-0")
    #expect(shelf.now?.isOver(at: time.now) == false)
  }

  @Test("a refused renewal requires a new sign-in, and is not tried again")
  func refused() async throws {
    let shelf = try Shelf(signIn())
    let provider = Provider()
    provider.mood = .refuses(.final)
    let tokens = tokens(shelf, provider)
    time.advance(by: .seconds(590))
    #expect(try await tokens.token() == "access-0")
    #expect(shelf.now?.isOver(at: time.now) == false)
    time.advance(by: .seconds(10))
    for _ in 1...3 { #expect(await failure { _ = try await tokens.token() } == .signInEnded) }
    #expect(provider.count == 1)
    #expect(shelf.now?.isOver(at: time.now) == true)
    // The user signs in again.
    try shelf.save(signIn())
    #expect(try await tokens.token() == "access-0")
  }

  @Test("an unclear refusal requires a new sign-in, and keeps the refresh token")
  func unclear() async throws {
    let shelf = try Shelf(signIn())
    let provider = Provider()
    provider.mood = .refuses(.unclear)
    let tokens = tokens(shelf, provider)
    time.advance(by: .seconds(600))
    #expect(await failure { _ = try await tokens.token() } == .signInEnded)
    #expect(shelf.now?.isOver(at: time.now) == true)
    #expect(shelf.now?.refreshToken == "refresh-0")
    provider.mood = .answers
    try shelf.save(signIn(refreshToken: "refresh-1", life: 0))
    #expect(try await tokens.token() == "access-2")
    #expect(shelf.now?.isOver(at: time.now) == false)
  }

  @Test("a token that the store refuses is renewed at once, or replaced by a new one in the file")
  func invalidated() async throws {
    let shelf = try Shelf(signIn())
    let provider = Provider()
    let tokens = tokens(shelf, provider)
    #expect(try await tokens.invalidated("access-0"))
    #expect(try await tokens.token() == "access-1")
    #expect(try await tokens.invalidated("access-0"))
    #expect(provider.count == 1)
    provider.mood = .refuses(.final)
    #expect(await failure { _ = try await tokens.invalidated("access-1") } == .signInEnded)
    // It counts as ended, whatever lifetime it was given.
    #expect(shelf.now?.isOver(at: time.now) == true)
    provider.mood = .isDown
    try shelf.save(signIn())
    #expect(
      await failure { _ = try await tokens.invalidated("access-0") } == .providerOffline("a test"))
  }

  @Test("a token that cannot be written is used, and written when there is space")
  func fullDisk() async throws {
    let shelf = try Shelf(signIn())
    let provider = Provider()
    let tokens = tokens(shelf, provider)
    time.advance(by: .seconds(600))
    shelf.fill(true)
    for _ in 1...2 { #expect(try await tokens.token() == "access-1") }
    #expect(shelf.now?.accessToken == "access-0")
    shelf.fill(false)
    #expect(try await tokens.token() == "access-1")
    #expect(shelf.now?.refreshToken == "refresh-1")
    #expect(provider.count == 1)
  }

  @Test("without a refresh token the token is used to its end")
  func noRefreshToken() async throws {
    let shelf = try Shelf(signIn(refreshToken: nil))
    let provider = Provider()
    let tokens = tokens(shelf, provider)
    time.advance(by: .seconds(599))
    #expect(try await tokens.token() == "access-0")
    #expect(await failure { _ = try await tokens.invalidated("access-0") } == .signInEnded)
    time.advance(by: .seconds(1))
    #expect(await failure { _ = try await tokens.token() } == .signInEnded)
    #expect(provider.count == 0)
    let empty = self.tokens(try Shelf(nil), provider)
    #expect(await failure { _ = try await empty.token() } == .unauthorized)
  }

  @Test("token endpoint answers are parsed as providers write them, and nothing prints them")
  func answers() throws {
    func read(_ json: String) throws -> ProviderTokenAnswer {
      try JSONDecoder().decode(ProviderTokenAnswer.self, from: Data(json.utf8))
    }
    #expect(try read(#"{"access_token":"a","expires_in":"60","token_type":"bearer"}"#).life == 60)
    #expect(try read(#"{"access_token":"a"}"#).life == nil)
    for wrong in [
      #"{"access_token":"a","token_type":"mac"}"#, #"{"access_token":""}"#, "{}",
      #"{"access_token":"a\nb"}"#,
    ] { #expect(throws: (any Error).self) { try read(wrong) } }
    #expect("\(signIn())" == "<redacted>")
    #expect(!String(reflecting: signIn()).contains("access-0"))
    var text = ""
    dump(signIn(), to: &text)
    #expect(!text.contains("access-0"))
  }
}
