import BellhopModel
import BellhopStore
import Testing

@Suite("Text")
struct TextTests {
  private static let broken = "before\u{0}after"

  private func field(_ error: StoreError?) -> String? {
    if case .invalid(let field, _)? = error { field } else { nil }
  }

  @Test(
    "text with U+0000 is refused with the field's name, and nothing is stored",
    arguments: BackendKind.allCases)
  func refused(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let broken = Self.broken
    let changes: [(String, (inout Content) -> Void)] = [
      ("payload.visualContent.title", { $0.visual?.title = broken }),
      ("payload.visualContent.subtitle", { $0.visual?.subtitle = broken }),
      ("payload.visualContent.body", { $0.visual?.body = broken }),
      ("payload.rawContent", { $0.raw = broken }),
      ("groupName", { $0.group = broken }),
      ("appNotificationId", { $0.appNotificationID = broken }),
      ("clickUrl", { $0.clickURL = "https://a.example/" + broken }),
      ("tags", { $0.tags = ["a", broken] }),
      ("sound", { $0.extras.sound = broken }),
      ("actions.title", { $0.extras.actions = [.init(id: "1", title: broken)] }),
      ("targetPolicy.platformTypes", { $0.extras.targetPolicy = .init(platformTypes: [broken]) }),
    ]
    for (name, change) in changes {
      let error = try await storeError { try await store.publish("a", appID: "1", change) }
      #expect(field(error) == name, "\(name)")
    }
    #expect(try await storeError { try await store.publish("a", app: broken) } != nil)
    #expect(try await store.titles().isEmpty)
    // What is no content: names that people and programs give.
    let user = store.user
    #expect(
      try await field(
        storeError {
          _ = try await store.service.mintToken(named: broken, scope: .device(nil), for: user)
        }) == "name")
    for registration in [
      DeviceRegistration(id: DeviceID("a"), name: broken, platform: "linux", channel: .signal),
      DeviceRegistration(id: DeviceID("a"), name: "a", platform: broken, channel: .signal),
    ] {
      #expect(
        try await storeError {
          _ = try await store.service.register(
            registration, with: store.token.token.id, for: user)
        } != nil)
    }
  }

  @Test(
    "a name with U+0000 in a request is not taken for the name before it",
    arguments: BackendKind.allCases)
  func lookups(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("kept", appID: "before")
    let isGone = try? await store.service.withdraw(
      app: "backups", appNotificationID: Self.broken, for: store.user)
    #expect(isGone != true)
    #expect(try await store.titles() == ["kept"])
    #expect((try? await store.service.user(named: "ada\u{0}x")) == nil)
  }

  @Test("every other control character comes back as it was", arguments: BackendKind.allCases)
  func controlCharacters(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let all = String(String.UnicodeScalarView((1...0x9f).compactMap(Unicode.Scalar.init)))
    let item = try await store.publish("a") { content in
      content.visual?.body = all
      content.raw = all
    }.item
    let stored = try await store.service.item(item.id, of: store.user)
    #expect(stored.content.visual?.body == all && stored.content.raw == all)
  }
}
