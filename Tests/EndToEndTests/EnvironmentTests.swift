import BellhopTestSupport
import Testing

@Suite("Development and production", .realPrograms)
struct EnvironmentTests {
  @Test("a device signed in for development receives such items, and forgets them in production")
  func environments() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let (desk, phone) = (try scene.device("desk"), try await scene.device("phone", on: store))
      let token = desk.folder + "/token"
      try desk.write(try await store.token(scope: "device") + "\n", to: token)
      func signIn(_ environment: String) async throws -> Outcome {
        try await desk.bellhop(
          "login", store.url, "--token-file", token, "--environment", environment)
      }
      let wrong = try await signIn("staging")
      #expect(wrong.exitCode == 64)
      #expect(wrong.errors.contains("Use development or production."))
      #expect(try await signIn("development").exitCode == 0)

      try await phone.succeed("publish", "Everyone", "--app", "ci")
      try await phone.succeed("publish", "Test", "--app", "ci", "--environment", "development")
      for device in [desk, phone] { try await device.succeed("sync") }
      #expect(try await desk.items().map(\.title) == ["Test", "Everyone"])
      #expect(try await phone.items().map(\.title) == ["Everyone"])
      let json = try await desk.bellhop("list", "--all", "--json").output
      #expect(json.contains(#""environment":"development""#))
      #expect(try await desk.bellhop("devices").output.contains("for development"))

      let changed = try await signIn("production")
      #expect(changed.errors.contains("This device is now registered for production."))
      func hasOnlyItsOwn() async throws -> Bool {
        try await desk.succeed("sync")
        return try await desk.items().map(\.title) == ["Everyone"]
      }
      try await eventually("a device without the test item") { try await hasOnlyItsOwn() }
    }
  }
}
