import BellhopTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite("A program with a webhook", .realPrograms)
struct HookTests {
  private struct Subscribed: Decodable {
    let id: String
    let expirationDateTime: String
  }

  private static func later(_ seconds: Double) -> String {
    Date.now.addingTimeInterval(seconds).formatted(.iso8601)
  }

  private func subscribe(
    _ owner: Publisher, _ hook: HookProgram, _ name: String
  ) async throws -> String {
    let answer = try await owner.curl(
      "/v1.0/subscriptions", ["--header", "Content-Type: application/json"],
      body: """
        { "changeType": "created,updated,deleted", "resource": "me/notifications",
          "notificationUrl": "\(hook.url)/\(name)?key=1", "clientState": "state of \(name)",
          "lifecycleNotificationUrl": "\(hook.url)/\(name)/life",
          "expirationDateTime": "\(Self.later(3600))" }
        """)
    guard answer.status == 201 else {
      throw NotSeen("a subscription", seen: "\(answer.status) \(answer.body)")
    }
    return try answer.decoded(as: Subscribed.self).id
  }

  private func renew(_ owner: Publisher, _ id: String, until time: String) async throws -> String {
    let answer = try await owner.curl(
      "/v1.0/subscriptions/\(id)",
      ["--request", "PATCH", "--header", "Content-Type: application/json"],
      body: #"{"expirationDateTime":"\#(time)"}"#)
    guard answer.status == 200 else {
      throw NotSeen("a renewal", seen: "\(answer.status) \(answer.body)")
    }
    return try answer.decoded(as: Subscribed.self).expirationDateTime
  }

  @Test("it is verified, gets changes even after a crash of the store, renewals, and the end")
  func life() async throws {
    try await Scene.play { scene in
      let store = try StoreProcess(folder: scene.folder + "/store")
      scene.atEnd { await store.end() }
      try await store.addUser()
      let file = scene.folder + "/bellhopd.toml"
      try Data("[hooks]\nallowed-networks = \"127.0.0.0/8\"\nallows-plain = true\n".utf8)
        .write(to: URL(filePath: file))
      let serving = ["--config", file]
      try await store.start(more: serving)
      let hook = try await HookProgram(folder: scene.folder + "/hook")
      scene.atEnd { await hook.end() }
      let publisher = try await store.publisher()
      let owner = try await store.reader()
      let id = try await subscribe(owner, hook, "first")

      // A crash between the commit and the delivery loses nothing.
      let item = try await publisher.publish("a secret text")
      try await store.crash()
      try await store.start(more: serving)
      let change = try await hook.wait(for: "the creation") { $0.changeType == "created" }
      #expect(change.clientState == "state of first" && change.subscriptionId == id)
      let reader = try await store.reader()
      let stored = try #require(try await reader.storedItems().first)
      #expect(change.resourceData?.id == stored.id)
      let device = try await scene.device("desk", on: store)
      try await device.succeed("sync")
      try await device.succeed("dismiss", "1", "--wait")
      try await hook.wait(for: "the dismissal") { $0.changeType == "updated" }
      try await device.succeed("delete", "1", "--wait")
      try await hook.wait(for: "the deletion") { $0.changeType == "deleted" }
      #expect(try hook.told().allSatisfy { $0.path == "/first" }, "\(item)")

      // Renewed; then it expires.
      let later = Self.later(7200)
      #expect(try await renew(owner, id, until: later).hasPrefix(later.dropLast()))
      _ = try await renew(owner, id, until: Self.later(2))
      try await hook.wait(for: "the end of the first") {
        $0.lifecycleEvent == "subscriptionRemoved" && $0.subscriptionId == id
      }
      #expect(try await owner.curl("/v1.0/subscriptions/\(id)").status == 404)

      // It ends with its token, and gets the message without any other activity.
      let second = try await subscribe(reader, hook, "second")
      let list = try await store.administer(["token", "list"])
      for token in list.output.split(separator: "\n") {
        guard let id = token.split(separator: " ").first else { continue }
        let outcome = try await store.administer(["token", "revoke", String(id)])
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
      }
      try await hook.wait(for: "the end of the second") {
        $0.lifecycleEvent == "subscriptionRemoved" && $0.subscriptionId == second
      }
      let log = store.log
      #expect(!log.contains("secret text") && !log.contains("state of") && !log.contains("key=1"))
    }
  }
}
