import BellhopSettings
import BellhopStore
import Logging
import Testing

@testable import BellhopServer

@Suite("The store's configuration file")
struct SettingsTests {
  /// A property's name as the file writes it.
  private func kebab(_ name: String) -> String {
    name.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
  }

  private func read(_ text: String) -> (settings: StoreSettings, problems: [String]) {
    let (settings, findings) = StoreSettings.read(text, version: "0")
    return (settings, findings.map(\.words))
  }

  @Test("every limit of the server and of the store has its key, and every limit key its limit")
  func complete() {
    let exempt = ["version", "signIn", "signInClients", "hooks", "ntfy", "templates"]
    for (table, value) in [
      ("server", Mirror(reflecting: ServerConfiguration(version: "0"))),
      ("store", Mirror(reflecting: StoreLimits())),
      ("sign-in", Mirror(reflecting: SignInLimits())),
      ("hooks", Mirror(reflecting: HookConfiguration())),
      ("ntfy", Mirror(reflecting: NtfyConfiguration())),
    ] {
      let fields = value.children.compactMap(\.label).filter { !exempt.contains($0) }
      // The clients are not a limit; they are a property of the server.
      let keys = StoreSettings.schema.settings.map(\.path).filter {
        $0.hasPrefix(table + ".") && $0 != "sign-in.clients"
      }
      #expect(Set(keys) == Set(fields.map { "\(table).\(kebab($0))" }))
    }
  }

  @Test("values are accepted in tables and dotted")
  func values() {
    let (settings, problems) = read(
      """
      listen = ["127.0.0.1:1", "[::1]:2"]
      log-level = "debug"
      store.default-expiration = "12h"
      [server]
      body-bytes-max = "1 MiB"
      idle-timeout = "90s"
      connections-max = 10000
      """)
    #expect(problems.isEmpty)
    #expect(settings.listen == ["127.0.0.1:1", "[::1]:2"])
    #expect(settings.logLevel == .debug)
    #expect(settings.limits.defaultExpiration == .seconds(43_200))
    #expect(settings.server.bodyBytesMax == 1 << 20)
    #expect(settings.server.idleTimeout == .seconds(90))
    #expect(settings.server.connectionsMax == 10_000)
  }

  @Test("a claim for the user's name other than the subject brings a warning")
  func userClaim() {
    let provider = """
      [identity-provider]
      issuer = "https://id.example.com"
      audience = "bellhop"

      """
    #expect(read(provider).settings.providerWarnings.isEmpty)
    let warnings = read(provider + "user-claim = \"preferred_username\"").settings.providerWarnings
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("identity-provider.user-claim is preferred_username") == true)
    #expect(read("").settings.providerWarnings.isEmpty)
  }

  @Test("proxies are addresses and networks, and anything else is an error")
  func proxies() {
    let (settings, problems) = read(
      "server.trusted-proxies = [\"10.0.0.2\", \"172.17.0.0/16\", \"fd00::1\"]")
    #expect(problems.isEmpty)
    #expect(settings.server.trustedProxies == ["10.0.0.2", "172.17.0.0/16", "fd00::1"])
    let one = read("server.trusted-proxies = \"10.0.0.2\"")
    #expect(one.settings.server.trustedProxies == ["10.0.0.2"])
    for wrong in ["\"proxy.example\"", "[\"10.0.0.2\", \"10.0.0.0/33\"]", "8", "[[]]"] {
      #expect(read("server.trusted-proxies = \(wrong)").problems.count == 1, "\(wrong)")
      #expect(read("server.proxies = \(wrong)").problems.count == 1, "\(wrong)")
    }
  }

  @Test("the former name of the proxies is read, not listed, and includes this machine as before")
  func formerProxies() {
    let (settings, problems) = read("server.proxies = [\"10.0.0.2\", \"::1\"]")
    #expect(problems.isEmpty)
    #expect(settings.server.trustedProxies == ["10.0.0.2", "::1", "127.0.0.0/8"])
    #expect(!StoreSettings.documentation(version: "0").contains("# proxies"))
    let both = read("[server]\ntrusted-proxies = [\"10.0.0.3\"]\nproxies = [\"10.0.0.2\"]")
    #expect(both.settings.server.trustedProxies == ["10.0.0.3"])
  }

  @Test("all errors are reported at once, with lines and suggestions")
  func problems() {
    let problems = read(
      """
      lisen = "127.0.0.1:1"
      server = 3
      [store]
      retention = "1 year"
      body-bytes-max = 5
      title-bytes-max = "1 GiB"
      [sever]
      x = 1
      """
    ).problems
    #expect(
      problems == [
        "line 1: lisen is not a setting; did you mean listen?",
        "line 2: server must be a table: write [server].",
        "line 4: store.retention must be a time from 1m to 36500d, such as \"90s\" or \"30d\".",
        "line 5: store.body-bytes-max is not a setting; did you mean server.body-bytes-max?",
        "line 6: store.title-bytes-max must be a size from 64 B to 64 KiB, such as "
          + "\"64 KiB\".",
        "line 7: sever is not a setting; did you mean server?",
      ])
    #expect(read("a = [").problems.count == 1)
    #expect(
      read("\n[tls]\nkey = 'k'").problems == [
        "line 2: tls must have both certificate and key, or neither."
      ])
    #expect(read("retention = 3").problems[0].contains("store.retention"))
    let long = read(String(repeating: "k", count: 5000) + " = 1").problems[0]
    #expect(long.utf8.count < 200)
  }
}
