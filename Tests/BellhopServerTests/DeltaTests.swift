import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Delta, outbox and devices")
struct DeltaTests {
  private func publish(_ title: String, in store: InProcessStore) async throws -> NotificationID {
    store.time.advance(by: .seconds(1))
    let user = try await store.service.user(named: "me")
    let content = Content(app: "ci", visual: VisualContent(title: title))
    return try await store.service.publish(PublishRequest(content), for: user.id).item.id
  }

  @Test("a first synchronisation pages newest first, and its delta has the changes made meanwhile")
  func firstSync() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    var ids: [NotificationID] = []
    for number in 1...5 { ids.append(try await publish("\(number)", in: store)) }
    var seen: [NotificationID] = []
    var started: DeltaToken?
    var route = Route.delta
    var last: DeltaToken?
    while last == nil {
      let answer = try await store.send(
        .get, route.path, token: token, headers: ["Prefer": "odata.maxpagesize=2"])
      #expect(answer.header("Preference-Applied") == "odata.maxpagesize=2")
      let page = try answer.decoded(DeltaPayload.self)
      #expect(page.epoch == store.service.epoch)
      seen += page.changes.compactMap(\.id)
      if started == nil {
        started = page.started
        _ = try await store.send(.delete, Route.notification(ids[4]).path, token: token)
      }
      switch page.end {
      case .next(let next): route = .deltaPage(next)
      case .complete(let token): last = token
      }
    }
    #expect(seen == ids.reversed())
    #expect(last == started)
    let delta = try await store.send(
      .get, Route.deltaSince(try #require(last)).path, token: token
    ).decoded(DeltaPayload.self)
    #expect(delta.changes == [.removed(ids[4], sequence: SequenceNumber(6))])
  }

  @Test("rows whose content is known carry only their state; no changes are 304")
  func deltaRows() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let old = try await publish("old", in: store)
    guard
      case .complete(let position) = try await store.send(.get, Route.delta.path, token: token)
        .decoded(DeltaPayload.self).end
    else {
      Issue.record("one item needs one page")
      return
    }
    let path = Route.deltaSince(position).path
    let same = try await store.send(
      .get, path, token: token, headers: ["If-None-Match": "\"\(position)\""])
    #expect(same.status == 304)
    #expect(try await store.send(.get, path, token: token).status == 200)
    _ = try await store.send(
      .patch, Route.notification(old).path, token: token, text: #"{"readState":"read"}"#)
    let new = try await publish("new", in: store)
    let page = try await store.send(
      .get, path, token: token, headers: ["If-None-Match": "\"\(position)\""]
    ).decoded(DeltaPayload.self)
    try #require(page.changes.count == 2)
    guard case .state(old, let state) = page.changes[0], case .item(let item) = page.changes[1]
    else {
      Issue.record("\(page.changes)")
      return
    }
    #expect(state.readState.value == .read)
    #expect(item.id == new)
  }

  @Test(
    "tokens that cannot be continued are 410 with the next step",
    arguments: ["?$deltatoken=garbage", "?$deltatoken=", "?$skiptoken=garbage"])
  func resync(query: String) async throws {
    let store = try await InProcessStore()
    let answer = try await store.send(
      .get, Route.delta.path + query, token: store.deviceToken())
    #expect(answer.status == 410)
    #expect(try answer.decoded(ErrorPayload.self).code == .resyncRequired)
    #expect(answer.header("Location") == "http://store.test/v1.0/me/notifications/delta")
  }

  private func operations(
    _ numbers: ClosedRange<Int64>, on id: NotificationID, lineage: String = "l", salt: UInt64 = 0
  ) throws -> [UInt8] {
    try WireJSON.encode(
      OperationsPayload(
        lineage: Lineage(lineage),
        operations: numbers.map { number in
          NumberedOperation(
            number: number,
            operation: Operation(
              id: OperationID(high: UInt64(number), low: salt), target: .item(id),
              mutation: (number.isMultiple(of: 2) ? ItemCommand.unread : .read).mutation))
        }))
  }

  @Test("an outbox is applied in order, once; gaps and other ids are distinguished")
  func outbox() async throws {
    let store = try await InProcessStore()
    let device = DeviceID("laptop")
    let token = try await store.deviceToken(device)
    let id = try await publish("x", in: store)
    let path = Route.operations(device).path
    let body = try operations(1...3, on: id)
    let first = try await store.send(.post, path, token: token, body: body)
      .decoded(OperationsAnswerPayload.self)
    #expect(first.results.map(\.result) == [.applied, .applied, .applied])
    #expect(first.results.map(\.number) == [1, 2, 3])
    #expect(first.sequence == SequenceNumber(4))
    let again = try await store.send(.post, path, token: token, body: body)
      .decoded(OperationsAnswerPayload.self)
    #expect(again.results.map(\.result) == Array(repeating: .alreadyApplied, count: 3))

    let gap = try await store.send(.post, path, token: token, body: operations(6...6, on: id))
    #expect(gap.status == 409)
    let error = try gap.decoded(ErrorPayload.self)
    #expect(error.code == .outboxGap)
    #expect(error.expectedSequence == 4)

    let other = try await store.send(
      .post, path, token: token, body: operations(3...3, on: id, salt: 1))
    #expect(other.status == 409)
    #expect(try other.decoded(ErrorPayload.self).code == .outboxDiverged)
  }

  @Test("only the token bound to the device may send its outbox")
  func foreignOutbox() async throws {
    let store = try await InProcessStore(users: ["me", "you"])
    let mine = DeviceID("mine")
    _ = try await store.deviceToken(mine)
    let id = try await publish("x", in: store)
    let body = try operations(1...1, on: id)
    let strangers = [
      try await store.deviceToken(DeviceID("other")), try await store.deviceToken(),
      try await store.deviceToken(DeviceID("foreign"), of: "you"),
    ]
    for token in strangers {
      let answer = try await store.send(
        .post, Route.operations(mine).path, token: token, body: body)
      #expect(answer.status == 403)
    }
  }

  @Test("a device registers, is listed, renews itself and is revoked with its token")
  func devices() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let root = Route.devices.path
    let registration = DeviceRegistrationPayload(
      id: DeviceID("laptop-1"), name: "Laptop", platform: "linux", channel: .signal)
    let created = try await store.send(
      .post, root, token: token, body: WireJSON.encode(registration))
    #expect(created.status == 201)
    let device = try created.decoded(DevicePayload.self)
    #expect(device.state == .registered)
    #expect(device.isCurrent)
    #expect(created.header("Location") == "http://store.test/v1.0/me/devices/laptop-1")

    let path = Route.device(device.id).path
    let renamed = try await store.send(
      .patch, path, token: token, text: #"{"name":"Desk","channel":"polling"}"#)
    #expect(try renamed.decoded(DevicePayload.self).name == "Desk")
    let list = try await store.send(.get, root, token: token).decoded(DeviceListPayload.self)
    #expect(list.value.map(\.channel) == [.polling])
    #expect(try await store.send(.get, path, token: token).status == 200)

    let other = try await store.deviceToken(DeviceID("phone"))
    #expect(
      try await store.send(.patch, path, token: other, text: #"{"name":"Mine"}"#).status == 403)
    let second = DeviceRegistrationPayload(
      id: DeviceID("second"), name: "S", platform: "linux", channel: .polling)
    #expect(
      try await store.send(.post, root, token: token, body: WireJSON.encode(second)).status
        == 403)
    #expect(try await store.send(.delete, path, token: other).status == 204)
    #expect(try await store.send(.get, root, token: token).status == 401)
    #expect(try await store.send(.get, path, token: other).status == 404)
  }

  @Test(
    "invalid registrations are refused",
    arguments: [
      "{}", #"{"id":"a b","name":"n"}"#, #"{"id":"a","name":""}"#, #"{"id":"a","name":7}"#,
      #"{"id":"a","name":"n","channel":"pigeon"}"#,
    ])
  func wrongRegistrations(body: String) async throws {
    let store = try await InProcessStore()
    let answer = try await store.send(
      .post, Route.devices.path, token: store.deviceToken(), text: body)
    #expect(answer.status == 400, "\(answer.text)")
  }
}
