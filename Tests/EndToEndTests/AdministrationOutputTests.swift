import BellhopTestSupport
import Testing

@Suite("Output of bellhopd", .realPrograms)
struct AdministrationOutputTests {
  /// A malicious name that 0.1.0 accepted.
  ///
  /// It sets the clipboard and the title, clears the screen, forges a line, and hides text in every
  /// other way.
  private static let name =
    "\u{1B}]52;c;Y3VybA==\u{7}\u{1B}]0;pwned\u{7}\u{1B}[2J\u{9B}31m\u{7F}\nroot linux active\r\u{2028}"
    + "\u{2029}\u{202A}\u{202E}\u{2066}\u{2069}\u{200B}\u{FEFF}\u{E0041}\u{E007F} end"

  @Test(
    "names that an earlier version accepted are listed, a line each, without control characters")
  func lists() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      _ = try await scene.device("desk", on: store)
      try await store.stop()
      let digits = Array("0123456789abcdef")
      let hex = Self.name.utf8.reduce(into: "") {
        $0 += String(digits[Int($1 >> 4)]) + String(digits[Int($1 & 15)])
      }
      let text = "cast(x'\(hex)' as text)"
      for statement in [
        "UPDATE device SET name = \(text), platform = \(text)",
        "UPDATE access_token SET name = \(text)",
      ] { _ = try await scene.sqlite(statement, on: store.database) }
      for isServing in [false, true] {
        if isServing { try await store.start() }
        for arguments in [
          ["device", "list", "--user", "alice"], ["token", "list"],
          ["token", "list", "--user", "alice"],
        ] {
          let outcome = try await store.administer(arguments)
          #expect(outcome.exitCode == 0, "\(arguments): \(outcome.errors)")
          #expect(outcome.lines.allSatisfy { $0.hasSuffix(" end") }, "\(outcome.lines)")
          #expect(outcome.lines.count == 1, "\(arguments): \(outcome.lines)")
          let hidden = Hidden.first(in: outcome.output + outcome.errors)
          #expect(hidden == nil, "\(arguments): \(String(describing: hidden))")
        }
      }
      // The device still works: its registration is renewed under its existing name.
      let outcome = try await store.administer(["stats", "--json"])
      #expect(outcome.exitCode == 0 && Hidden.first(in: outcome.output) == nil)
    }
  }
}
