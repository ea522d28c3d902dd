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
    // Other texts than content: names that users and programs give.
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
    "a name with U+0000 in a request does not match the name before it",
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

  /// One of each class of scalars that names must not contain.
  private static let forbidden: [Unicode.Scalar] = [
    "\u{0}", "\u{7}", "\n", "\r", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{200B}", "\u{2028}",
    "\u{2029}", "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}", "\u{FEFF}", "\u{E0000}",
    "\u{E0041}", "\u{E007F}", "\u{61C}", "\u{200E}", "\u{200F}", "\u{2060}", "\u{3164}", "\u{AD}",
    "\u{180E}", "\u{E0100}",
  ]

  @Test("the scalars that names must not contain are exactly the expected ranges")
  func classes() {
    let forbidden: [ClosedRange<UInt32>] = [
      0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x115F...0x1160,
      0x17B4...0x17B5, 0x180B...0x180F, 0x200B...0x200B, 0x200E...0x200F, 0x2028...0x202E,
      0x2060...0x206F, 0x3164...0x3164, 0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xFFF0...0xFFF8,
      0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF,
    ]
    for scalar in (0...0xE1000).compactMap({ Unicode.Scalar(UInt32($0)) })
    where scalar.isForbiddenInNames != forbidden.contains(where: { $0.contains(scalar.value) }) {
      Issue.record("U+\(String(scalar.value, radix: 16))")
    }
  }

  @Test(
    "names of devices, platforms, tokens and apps with control or direction characters are refused",
    arguments: BackendKind.allCases)
  func names(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (service, user) = (store.service, store.user)
    for scalar in Self.forbidden {
      let name = "Kitchen \(scalar) PC"
      var settings = AppSettingsChange()
      settings.displayName = .set(name)
      let errors = [
        "mint": try await storeError {
          _ = try await service.mintToken(named: name, scope: .device(nil), for: user)
        },
        "rename": try await storeError {
          _ = try await service.renameToken(store.token.token.id, name, of: user)
        },
        "device": try await storeError {
          _ = try await service.register(
            DeviceRegistration(
              id: store.device.id, name: name, platform: "linux", channel: .signal),
            with: store.token.token.id, for: user)
        },
        "platform": try await storeError {
          _ = try await service.register(
            DeviceRegistration(id: store.device.id, name: "a", platform: name, channel: .signal),
            with: store.token.token.id, for: user)
        },
        "sign-in": try await storeError {
          _ = try await service.signIn(
            DeviceRegistration(id: DeviceID("b"), name: name, platform: "a", channel: .signal),
            named: "b", for: user)
        },
        "app": try await storeError {
          _ = try await service.configure("nas", settings, for: user)
        },
        "user": try await storeError { _ = try await service.addUser(named: name) },
      ]
      let fields = errors.mapValues { field($0) }
      #expect(
        fields == [
          "mint": "name", "rename": "name", "device": "name", "platform": "platform",
          "sign-in": "name", "app": "displayName", "user": "user",
        ], "U+\(String(scalar.value, radix: 16))")
    }
    #expect(try await service.devices(of: user) == [store.device])
    #expect(try await service.accessTokens(of: user).map(\.name) == ["laptop"])
    for name in [" ", "\u{A0}", "\u{200D}", "\u{FE0F}", "\u{2800}"] {
      #expect(
        try await field(
          storeError {
            _ = try await service.renameToken(store.token.token.id, name, of: user)
          }) == "name")
    }
    // A joiner and a right-to-left script are part of ordinary names.
    let name = "👩\u{200D}💻 ❤\u{FE0F} מטבח"
    #expect(try await service.renameToken(store.token.token.id, name, of: user).name == name)
  }

  @Test(
    "a device and an app keep names from an earlier version, and can otherwise be changed",
    arguments: BackendKind.allCases)
  func earlierNames(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (service, user) = (store.service, store.user)
    let name = "a\u{1B}]52;c;x\u{7}\n\u{202E}b"
    var known = store.device
    known.registration.name = name
    known.registration.platform = name
    var settings = AppSettings(app: "nas")
    settings.displayName = name
    let (device, app) = (known, settings)
    try await store.backend.write(
      in: .user(user),
      {
        try $0.put(device, of: user)
        try $0.put(app, of: user)
      }, committed: { _ in })
    var registration = device.registration
    registration.channel = .polling
    let renewed = try await service.register(
      registration, with: store.token.token.id, for: user)
    #expect(renewed.registration == registration)
    var change = AppSettingsChange()
    change.displayName = .set(name)
    change.retentionDays = .set(3)
    let changed = try await service.configure("nas", change, for: user).settings
    #expect(changed.displayName == name && changed.retentionDays == 3)
  }

  @Test("every other control character is returned unchanged", arguments: BackendKind.allCases)
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
