import BellhopTestSupport
import Foundation
import Testing

@Suite("Every pane with real keys", .realPrograms)
struct EveryPaneTests {
  /// A screen with three items of two apps.
  private func screen(_ scene: Scene) async throws -> TmuxScreen {
    let store = try await scene.store()
    let device = try await scene.device("desk", on: store)
    for (app, title) in [("nas", "disk full"), ("ci", "build 1"), ("ci", "build 2")] {
      try await device.succeed("publish", title + "\nline one\n  line two", "--app", app)
    }
    try await device.succeed("sync")
    let screen = try await scene.screen(on: device, columns: 100, rows: 30)
    try await screen.wait(for: "build 2", "● live, all sent")
    return screen
  }

  @Test("| pipes the item's text to a command, and shows its output and its exit code")
  func pipe() async throws {
    try await Scene.play { scene in
      let screen = try await screen(scene)
      let copy = screen.device.folder + "/copy"
      try await screen.type("|")
      try await screen.type("tee \(copy) | wc -l; exit 3")
      try await screen.wait(for: "| tee", "· build 2")
      try await screen.press("Enter")
      try await screen.wait(for: "Command failed (exit status 3).", "Press any key to go back.")
      let text = try String(contentsOfFile: copy, encoding: .utf8)
      #expect(text == "build 2\n\nline one\n  line two\n")
      #expect(try await screen.lines().contains { $0.trimmingCharacters(in: .whitespaces) == "4" })
      try await screen.type(" ")
      try await screen.wait(for: "TRAY", "Command failed (exit status 3).")

      // A successful command leaves no line behind.
      try await screen.type("|")
      try await screen.type("cat")
      try await screen.press("Enter")
      try await screen.wait(for: "Command finished.", "line two")
      try await screen.press("Enter")
      try await screen.wait(for: "TRAY", "1 of 3  ? keys")
    }
  }

  @Test("apps, devices, activity, inspect and the palette are a key or two away, and Esc returns")
  func panes() async throws {
    try await Scene.play { scene in
      let screen = try await screen(scene)
      try await screen.type("4")
      try await screen.wait(for: "[4 Apps]", "2 apps", "ci", "nas")
      try await screen.type("jl")
      try await screen.wait(for: "nas · on every device", "3  sound     yes")
      try await screen.type("3")
      try await screen.wait(for: "nas: no sound, on every device.")
      try await screen.press("Escape")
      try await screen.wait(for: "2 of 2  ? keys")
      try await screen.type("1")
      try await screen.wait(for: "[1 Tray 3]", "1 of 3  ? keys")
      try await screen.type("gd")
      try await screen.wait(for: "Your devices", "this device", "today")
      try await screen.press("Escape")
      try await screen.wait(for: "1 of 3  ? keys")
      try await screen.type("ga")
      try await screen.wait(
        for: "The last 24 hours", "3 notifications", "Synchronisation",
        "Nothing: all changes are sent.")
      try await screen.press("Escape")
      try await screen.wait(for: "1 of 3  ? keys")
      try await screen.type("i")
      try await screen.wait(for: "Inspect", "number", "#3")
      try await screen.press("Escape")
      try await screen.wait(for: "1 of 3  ? keys")
      try await screen.type(":history")
      try await screen.wait(for: ": history", "the history")
      try await screen.press("Enter")
      try await screen.wait(for: "[2 History]", "Today")
      let settings = try await screen.device.succeed("apps")
      #expect(settings.contains("nas"))
    }
  }
}
