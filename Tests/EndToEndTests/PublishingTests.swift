import BellhopTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite("Publishing, end to end", .realPrograms)
struct PublishingTests {
  private static let json = ["--header", "Content-Type: application/json"]

  @Test("a device creates a publish token, lists it and revokes it")
  func tokens() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      let made = try await device.bellhop(
        "token", "create", "--app", "ci.*", "--name", "build server", "--expires", "90d")
      #expect(made.exitCode == 0, "\(made.errors)")
      let secret = made.line
      #expect(secret.hasPrefix("blh_") && !secret.contains(" "))
      #expect(!made.errors.contains(secret))
      let publisher = Publisher(address: store.url, token: secret, folder: device.folder)
      let built = """
        {"targetHostName":"ci.build","payload":{"visualContent":{"title":"Built"}}}
        """
      #expect(try await publisher.publishGraph(built).status == 201)
      #expect(try await publisher.curl("/nas", body: "No").status == 403)
      #expect(try await publisher.curl("/v1.0/me/notifications").status == 403)
      try await device.succeed("sync")
      #expect(try await device.item(titled: "Built")?.app == "ci.build")

      let list = try await device.succeed("token", "list")
      #expect(list.contains("publish:ci.*") && list.contains("build server"))
      #expect(list.contains("(this device)") && !list.contains("blh_"))
      let line = try #require(list.split(separator: "\n").first { $0.contains("build server") })
      let id = String(line.prefix(36))
      #expect(try await device.bellhop("token", "revoke", "ffff").exitCode == 66)
      #expect(try await device.bellhop("token", "create").exitCode == 64)
      #expect(try await device.bellhop("token", "create", "--app", "a b").exitCode == 65)
      #expect(
        try await device.bellhop("token", "create", "--app", "a", "--any-app").exitCode == 64)
      try await device.succeed("token", "revoke", id)
      #expect(try await publisher.publishGraph(built).status == 401)
      #expect(try await device.succeed("token", "list").contains("build server") == false)
    }
  }

  @Test("a token for one app comes with example lines, which publish without containing it")
  func recipes() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      func create(_ more: String...) async throws -> Outcome {
        let made = try await store.administer(
          ["token", "create", "--user", "alice", "--scope", "publish"] + more)
        #expect(made.exitCode == 0 && made.line.hasPrefix("blh_"), "\(made.errors)")
        #expect(!made.errors.contains(made.line))
        return made
      }
      let made = try await create("--app", "nas")
      for words in [
        "ntfy publish --token \"$TOKEN\" https://store.example.com/nas ",
        "\"ntfys://any:$TOKEN@store.example.com/nas\"", "\"gotifys://store.example.com/$TOKEN\"",
        "\"jsons://any:$TOKEN@store.example.com/notify\"",
      ] {
        #expect(made.errors.contains(words), "\(made.errors)")
      }
      // The two lines that need no other program, unchanged except for the address.
      let lines = made.errors.split(separator: "\n").filter { $0.contains("curl ") }
      #expect(lines.count == 2)
      for line in lines {
        let child = try Child(
          "/bin/sh",
          ["-c", String(line).replacing("https://store.example.com", with: store.url)],
          environment: ["PATH": "/usr/bin:/bin", "TOKEN": made.line], directory: scene.folder,
          folder: scene.folder + "/lines")
        try await child.waitForEnd(as: .exited(0))
        #expect(child.output.contains(#""message":"Job done""#), "\(child.output)")
      }
      let device = try await scene.device("desk", on: store)
      try await device.succeed("sync")
      #expect(try await device.items().map(\.app) == ["nas", "nas"])

      // Without a valid topic there are no ntfy lines, without a single app there are none at all.
      for app in ["ci.example.com", "message"] {
        let other = try await create("--app", app).errors
        #expect(!other.contains("ntfy") && other.contains("gotifys://"), "\(other)")
      }
      #expect(try await create("--any-app").errors.contains("$TOKEN") == false)
    }
  }

  @Test("a batch, a bulk request, a compressed body, an update and a withdrawal reach a device")
  func ways() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      let publisher = try await store.publisher()
      func body(_ title: String, id: String) -> String {
        """
        {"targetHostName":"ci","appNotificationId":"\(id)",\
        "payload":{"visualContent":{"title":"\(title)"}}}
        """
      }
      let batch = try await publisher.curl(
        "/v1.0/$batch", Self.json,
        body: """
          {"requests":[
            {"id":"1","method":"POST","url":"/me/notifications","body":\(body("One", id: "1")),
             "headers":{"Content-Type":"application/json"}},
            {"id":"2","method":"GET","url":"/me/notifications","dependsOn":["1"]},
            {"id":"3","method":"GET","url":"/me/devices","dependsOn":["2"]}]}
          """)
      #expect(batch.status == 200)
      for status in [201, 403, 424] { #expect(batch.body.contains("\"status\":\(status)")) }
      let bulk = try await publisher.curl(
        "/v1.0/me/notifications/bulk", ["--header", "Content-Type: application/x-ndjson"],
        body: [body("Two", id: "2"), "{}", body("Three", id: "3")].joined(separator: "\n"))
      #expect(bulk.status == 200)
      #expect(bulk.body.split(separator: "\n").count == 3)
      #expect(bulk.body.contains("\"line\":2,\"status\":400"), "\(bulk.body)")
      let packed = try await device.run(
        program: "/bin/sh", ["-c", "printf '%s' \"$0\" | gzip > packed", body("Four", id: "4")])
      #expect(packed.exitCode == 0)
      let sent = try await publisher.curl(
        "/v1.0/me/notifications",
        Self.json + [
          "--header", "Content-Encoding: gzip", "--data-binary", "@\(device.folder)/packed",
        ])
      #expect(sent.status == 201, "\(sent.body)")
      let app = "/v1.0/me/notifications/app/"
      let changed = try await publisher.curl(
        app + "2?targetHostName=ci", Self.json + ["--request", "PATCH"],
        body: #"{"priority":"High"}"#)
      #expect(changed.status == 204, "\(changed.body)")
      let withdrawn = try await publisher.curl(
        app + "3?targetHostName=ci", ["--request", "DELETE"])
      #expect(withdrawn.status == 204)
      try await device.succeed("sync")
      let items = try await device.items()
      #expect(Set(items.compactMap(\.title)) == ["One", "Two", "Four"])
      #expect(items.first { $0.title == "Two" }?.priority == "high")
    }
  }

  @Test(
    "thousands are marked read by one request, and a kill in the middle changes nothing of that")
  func bulkOperation() async throws {
    let count = 4000
    // A new user's settings, and those of the new app.
    let settings = 2
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      for start in stride(from: 0, to: count, by: 1000) {
        let lines = (start..<start + 1000).map {
          #"{"targetHostName":"ci","payload":{"visualContent":{"title":"\#($0)"}}}"#
        }
        let answer = try await publisher.curl(
          "/v1.0/me/notifications/bulk", body: lines.joined(separator: "\n"))
        #expect(answer.status == 200)
      }
      let device = try await store.reader()
      let registered = try await device.curl(
        "/v1.0/me/devices", Self.json, body: #"{"id":"d","name":"d"}"#)
      #expect(registered.status == 201, "\(registered.body)")
      let operation = "0198c0de-0000-7000-8000-000000000001"
      @Sendable func markRead() async throws -> Publisher.Answer {
        try await device.curl(
          "/v1.0/me/devices/d/operations", Self.json,
          body: """
            {"lineage":"l","operations":[{"sequence":1,"id":"\(operation)",
            "matching":{"predicate":{"app":"ci"},"throughSequence":\(count + settings)},
            "set":{"readState":"read"}}]}
            """)
      }
      async let first = markRead()
      // Some are read, and with luck not all: then the store is killed.
      try await eventually("the first chunk") {
        let answer = try await device.curl("/v1.0/me/notifications?$top=1")
        return answer.body.contains(#""readState":"read""#)
      }
      try await store.crash()
      let status = try await first.status
      #expect(status == 0 || status == 200)
      try await store.start()
      let again = try await markRead()
      #expect(again.status == 200, "\(again.body)")
      #expect(again.body.contains(#""result":"applied""#) || again.body.contains("alreadyApplied"))
      // Each item took one number when it was published and one when it was read.
      #expect(again.body.contains("\"sequence\":\(2 * count + settings)"), "\(again.body)")
      let items = try await device.storedItems()
      #expect(items.count == count)
      #expect(items.allSatisfy { $0.readState == "read" })
      #expect(try await markRead().body.contains("alreadyApplied"))
    }
  }

  @Test("a scheduled item is listed, arrives when it is due, and can be withdrawn")
  func scheduled() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("laptop", on: store)
      let other = try await scene.device("desktop", on: store)
      let past = try await device.bellhop("publish", "x", "--at", "2020-01-01T00:00:00Z")
      #expect(past.exitCode == 64 && past.errors.contains("is in the past"), "\(past.errors)")
      let late = try await device.bellhop("publish", "x", "--in", "2h", "--expires", "1h")
      #expect(
        late.exitCode == 64 && late.errors.contains("expire before its delivery"), "\(late.errors)")
      let word = try await device.bellhop("publish", "x", "--in", "later")
      #expect(word.exitCode == 64 && word.errors.contains("15m"), "\(word.errors)")

      for title in ["Tea", "Coffee", "Cake"] {
        try await device.succeed("publish", title, "--app", "home", "--in", "1h")
      }
      try await device.succeed("publish", "Soon", "--app", "home", "--in", "2s")
      let scheduled = try await device.items("list", "--scheduled")
      #expect(Set(scheduled.map(\.title)).isSuperset(of: ["Tea", "Coffee", "Cake"]))
      #expect(scheduled.allSatisfy { $0.placement == "scheduled" })
      let coffee = try #require(scheduled.first { $0.title == "Coffee" })
      let cake = try #require(scheduled.first { $0.title == "Cake" })
      try await other.succeed("sync")
      try await other.succeed("dismiss", "#\(coffee.number)", "--wait")
      try await other.succeed("delete", "#\(cake.number)", "--wait")
      _ = try await eventually("the one that is due in the tray, the others not") {
        try await device.succeed("sync")
        let tray = try await device.items("list")
        return tray.map(\.title) == ["Soon"] ? true : nil
      }
      let left = try await device.items("list", "--scheduled")
      #expect(Set(left.map(\.title)) == ["Tea", "Coffee"])
      #expect(left.first { $0.title == "Coffee" }?.action == "dismissed")
      let lines = try await device.bellhop("list", "--scheduled").lines
      #expect(lines.contains { $0.contains("dismissed") && $0.contains("Coffee") }, "\(lines)")
      #expect(lines.contains { $0.contains("scheduled") && $0.contains("Tea") }, "\(lines)")
    }
  }
}
