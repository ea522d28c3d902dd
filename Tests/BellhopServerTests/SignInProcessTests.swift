import BellhopModel
import BellhopStore
import BellhopStoreMemory
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopServer

/// Several processes that serve one storage, behind a load balancer.
@Suite("Signing a device in at several processes")
struct SignInProcessTests {
  private let backend = MemoryBackend()
  private let time = SettableTime()

  private func process(_ number: UInt64) async throws -> InProcessStore {
    try await InProcessStore(
      on: backend, users: ["me", "you"], isSoleWriter: false, time: time, seed: number)
  }

  @Test("a code that one process gave out is approved at another and redeemed at either, once")
  func anyProcess() async throws {
    let (first, second) = (try await process(1), try await process(2))
    let laptop = try await first.deviceToken(DeviceID("laptop"))
    let desk = try await Newcomer(first)
    var elsewhere = desk
    elsewhere.store = second
    #expect(try await elsewhere.poll().oauthError == .authorizationPending)
    let seen = try await second.send(.get, Route.deviceGrant(desk.userCode).path, token: laptop)
    #expect(try seen.decoded(DeviceGrantPayload.self).deviceName == "The desk")
    #expect(try await elsewhere.decide("approve", by: laptop).status == 200)
    #expect(try await desk.decide("deny", by: laptop).status == 409)
    time.advance(by: .seconds(5))
    let (there, here) = (elsewhere, desk)
    async let one = there.poll()
    async let other = here.poll()
    let answers = try await [one, other]
    #expect(answers.map(\.status).sorted() == [200, 400])
    #expect(answers.compactMap(\.oauthError) == [.invalidGrant])
    let token = try #require(answers.first { $0.status == 200 }).decoded(AccessTokenPayload.self)
    for store in [first, second] {
      let answer = try await store.send(.get, Route.devices.path, token: token.accessToken)
      #expect(answer.status == 200)
    }
  }

  @Test("wrong codes and requests for codes add up over all processes")
  func limits() async throws {
    let stores = [try await process(1), try await process(2)]
    let laptop = try await stores[0].deviceToken(DeviceID("laptop"))
    let desk = try await Newcomer(stores[0])
    for number in 0..<10 {
      let path = Route.deviceGrant("BCDF-GHJK").path
      let answer = try await stores[number % 2].send(.get, path, token: laptop)
      #expect(answer.status == 404)
    }
    for store in stores {
      var there = desk
      there.store = store
      let refused = try await there.decide("approve", by: laptop)
      #expect(refused.status == 429 && refused.header("Retry-After") == "61")
    }
    for number in 0..<10 {
      #expect(try await Newcomer.ask(stores[number % 2], address: "203.0.113.7").status == 200)
    }
    for store in stores {
      let refused = try await Newcomer.ask(store, address: "203.0.113.7")
      #expect(refused.status == 429 && refused.header("Retry-After") == "7")
    }
  }

  @Test("polling too early at one process raises the interval at all (SECURITY-8)")
  func slowDown() async throws {
    let (first, second) = (try await process(1), try await process(2))
    let here = try await Newcomer(first)
    var there = here
    there.store = second
    #expect(try await here.poll().oauthError == .authorizationPending)
    #expect(try await there.poll().oauthError == .authorizationPending)
    time.advance(by: .seconds(4))
    #expect(try await here.poll().oauthError == .slowDown)
    // Six seconds are enough for the first interval, not for the raised one.
    time.advance(by: .seconds(2))
    #expect(try await there.poll().oauthError == .slowDown)
    time.advance(by: .seconds(15))
    #expect(try await there.poll().oauthError == .authorizationPending)
    #expect(try await here.poll().oauthError == .authorizationPending)
  }

  @Test("a waiting device does not notice a restart of the store")
  func restart() async throws {
    let first = try await process(1)
    let laptop = try await first.deviceToken(DeviceID("laptop"))
    var desk = try await Newcomer(first)
    desk.store = try await process(2)
    #expect(try await desk.poll().oauthError == .authorizationPending)
    #expect(try await desk.decide("approve", by: laptop).status == 200)
    desk.store = try await process(3)
    #expect(try await desk.poll().status == 200)
  }

  @Test("each process grants its share of the requests of a token")
  func tokenRates() async throws {
    let store = try await InProcessStore(
      on: backend, time: time, configure: { $0.tokenRequestBurst = 6 })
    let token = try await store.deviceToken()
    store.service.processes.note(3)
    for _ in 0..<2 {
      #expect(try await store.send(.get, Route.devices.path, token: token).status == 200)
    }
    #expect(try await store.send(.get, Route.devices.path, token: token).status == 429)
  }
}
