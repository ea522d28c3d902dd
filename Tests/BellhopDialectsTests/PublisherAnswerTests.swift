import BellhopModel
import BellhopStore
import BellhopTestSupport
import HTTPTypes
import Testing

@Suite("Answers to publishers")
struct PublisherAnswerTests {
  private struct Publication: Sendable {
    var method = HTTPRequest.Method.post
    var path: String
    var body: String
    var headers: [String: String] = [:]
  }

  /// A publication in each dialect, for the app `nas`.
  private static let publications = [
    Publication(
      path: "/v1.0/me/notifications",
      body: """
        {"targetHostName":"nas","appNotificationId":"x",
        "payload":{"visualContent":{"title":"disk full"}}}
        """),
    Publication(
      path: "/v1.0/me/notifications/bulk",
      body: #"{"targetHostName":"nas","payload":{"visualContent":{"title":"disk full"}}}"#),
    Publication(
      method: .patch, path: "/v1.0/me/notifications/app/x?targetHostName=nas",
      body: #"{"payload":{"visualContent":{"title":"disk still full"}}}"#),
    Publication(method: .put, path: "/nas/x", body: "disk full"),
    Publication(path: "/nas", body: "disk full", headers: ["Title": "disk"]),
    Publication(path: "/message", body: #"{"message":"disk full","priority":5}"#),
    Publication(path: "/notify/nas", body: #"{"title":"disk","body":"full"}"#),
    Publication(
      path: "/hooks/uptime-kuma",
      body: #"{"heartbeat":{"status":0},"monitor":{"id":4,"name":"nas"},"msg":"down"}"#),
  ]

  /// Publishes everything twice, and returns the answers.
  private func answers(
    of store: InProcessStore, between: () async throws -> Void = {}
  ) async throws -> [String] {
    let token = try await store.publishToken(for: .app("nas"))
    var answers: [String] = []
    for round in 0..<2 {
      if round == 1 { try await between() }
      for publication in Self.publications {
        store.time.advance(by: .seconds(1))
        let answer = try await store.send(
          publication.method, publication.path, token: token, text: publication.body,
          headers: publication.headers)
        try #require((200..<300).contains(answer.status), "\(publication.path): \(answer.text)")
        answers.append("\(publication.path): \(answer.status) \(answer.headers) \(answer.text)")
      }
    }
    return answers
  }

  @Test("answers are the same whatever rules do, byte for byte, in every dialect")
  func rules() async throws {
    var all: [[String]] = []
    // Both stores have one rule, so that ids and sequences are the same.
    for app in ["nas", "elsewhere"] {
      let store = try await InProcessStore()
      let user = try await store.service.user(named: "me")
      var actions = RuleActions()
      actions.level = .low
      actions.isSilent = true
      actions.marksRead = true
      actions.dismisses = true
      actions.pins = true
      actions.tags = ["noise"]
      actions.group = "noise"
      actions.app = "noise"
      let definition = RuleDefinition(
        name: "all", condition: RuleCondition([.init(.app([ListFilter.NamePattern(app)]))]),
        actions: actions)
      _ = try await store.service.change(
        RuleID(high: 1, low: 1), RuleChange(definition: definition), for: user.id)
      all.append(try await answers(of: store))
      let items = try await store.service.list(rows: 100, for: user.id).items
      #expect(items.allSatisfy { $0.state.pinned.value == (app == "nas") })
    }
    #expect(all.first == all.last)
  }

  @Test("answers are the same for an open, a read and a dismissed item, byte for byte")
  func repeats() async throws {
    var all: Set<[String]> = []
    // Each change takes one id, so that the later ones are the same.
    for change in [
      StateChange(pinned: true), StateChange(readState: .read),
      StateChange(userActionState: .dismissed),
    ] {
      let store = try await InProcessStore()
      let user = try await store.service.user(named: "me").id
      var collapse = AppSettingsChange()
      collapse.repeats = .collapse
      _ = try await store.service.configure("nas", collapse, for: user)
      let answers = try await answers(of: store) {
        let items = try await store.service.list(rows: 100, for: user).items
        #expect(items.contains { ($0.repeats?.count ?? 0) > 1 })
        for item in items.sorted(by: { $0.shortNumber < $1.shortNumber }) {
          _ = try await store.service.change(
            item.id, change, by: Author(kind: .device, id: "d", name: "d"), for: user)
        }
      }
      all.insert(answers)
    }
    #expect(all.count == 1)
  }
}
