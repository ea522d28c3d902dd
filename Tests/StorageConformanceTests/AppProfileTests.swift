import BellhopModel
import BellhopStore
import Testing

@Suite("Profiles of apps, beside their settings")
struct AppProfileTests {
  @Test(
    "an app's profile stays until it is changed or removed",
    arguments: BackendKind.allCases)
  func profiles(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let service = store.service
    func write(_ app: String, _ profile: AppProfile) async throws {
      var change = AppSettingsChange()
      change.displayName = .set("NAS")
      change.aliases = app == "nas.example.com" ? ["nas"] : nil
      _ = try await service.configure(app, change, profile: profile, for: store.user)
    }
    #expect(try await service.profiles(of: store.user).isEmpty)
    #expect(try await service.profile(ofApp: "nas", for: store.user) == AppProfile())
    try await write("nas.example.com", AppProfile(description: "été", defaultPriority: -1))
    try await write("ci", AppProfile(defaultPriority: 0))
    try await write("ci", AppProfile(description: ""))
    try await write("plain", AppProfile())
    let all = [
      "nas.example.com": AppProfile(description: "été", defaultPriority: -1),
      "ci": AppProfile(description: "", defaultPriority: 0),
    ]
    #expect(try await service.profiles(of: store.user) == all)
    // By an alias, as for a publication; and for no other user.
    #expect(try await service.profile(ofApp: "nas", for: store.user) == all["nas.example.com"])
    let other = try await service.addUser(named: "grace").id
    #expect(try await service.profiles(of: other).isEmpty)

    for text in [String(repeating: "a", count: 1025), "a\0"] {
      let error = try await storeError {
        try await write("ci", AppProfile(description: text, defaultPriority: 9))
      }
      guard case .invalid(field: "description", _)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    #expect(try await service.profiles(of: store.user) == all)
    try await service.removeProfile(ofApp: "ci", of: store.user)
    #expect(try await service.profiles(of: store.user).keys.sorted() == ["nas.example.com"])
    try await service.removeUser(named: "ada")
    #expect(try await service.profiles(of: store.user).isEmpty)
  }
}
