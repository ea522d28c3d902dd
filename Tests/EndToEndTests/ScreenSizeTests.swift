import BellhopTestSupport
import Testing

@Suite("Terminals of all kinds", .realPrograms)
struct ScreenSizeTests {
  @Test("the screen follows its terminal's size, down to ten by five and one by one")
  func sizes() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      for number in 1...30 {
        try await device.succeed("publish", "Item \(number)", "--app", "app\(number)")
      }
      try await device.succeed("sync")
      let screen = try await scene.screen(on: device, columns: 80, rows: 24)
      try await screen.wait(for: "Item 30", "[1 Tray 30]", "1 of 30  ? keys")
      try await screen.resize(columns: 120, rows: 40)
      let wide = try await screen.wait(for: "TRAY", "HANDLED", "│", "┬", "┴", "1 of 30  ? keys")
      #expect(wide.split(separator: "\n", omittingEmptySubsequences: false).count == 40)
      try await screen.resize(columns: 40, rows: 10)
      try await screen.wait(for: "the small screen") { seen in
        let lines = seen.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count == 10 && lines[0].contains("[1 Tray 30]") && seen.contains("Item 30")
          && lines.allSatisfy { CellWidth.of($0) <= 40 } && !seen.contains("│")
      }
      try await screen.resize(columns: 10, rows: 5)
      try await screen.wait(for: "the tiny screen") { seen in
        let lines = seen.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count == 5 && lines.allSatisfy { CellWidth.of($0) <= 10 }
          && seen.contains("Item")
      }
      try await screen.resize(columns: 1, rows: 1)
      try await screen.type("j")
      try await screen.resize(columns: 200, rows: 60)
      try await screen.wait(for: "TRAY", "2 of 30  ? keys")
      try await screen.type("q")
      #expect(try await screen.waitForEnd() == 0)

      let tiny = try await scene.screen(on: device, columns: 10, rows: 5)
      try await tiny.wait(for: "Item")
      try await tiny.type("d")
      try await device.waitForItem(titled: "Item 30", "dismissed") { $0.action == "dismissed" }
      try await tiny.type("q")
      #expect(try await tiny.waitForEnd() == 0)
    }
  }

  @Test("without UTF-8 it draws in ASCII, and without colours too")
  func ascii() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "Größe 备份", "--app", "nas", "--priority", "urgent")
      try await device.succeed("sync")
      let screen = try await scene.screen(
        on: device, columns: 120, rows: 40,
        environment: ["LANG": "C", "LC_ALL": "C", "NO_COLOR": "1"])
      let seen = try await screen.wait(for: "*!! nas", "TRAY")
      #expect(seen.unicodeScalars.allSatisfy { $0.isASCII }, "\(seen)")
    }
  }

  @Test("an arrow key whose bytes arrive separately never changes an item")
  func splitKeys() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      for number in 1...3 { try await device.succeed("publish", "Item \(number)") }
      try await device.succeed("sync")
      // Already read, because if the bytes arrive together the right arrow opens an item.
      try await device.succeed("read", "1", "2", "3", "--wait")
      let before = try await device.items()
      let screen = try await scene.screen(on: device)
      try await screen.wait(for: "Item 3", "● live, all sent")
      for introducer in ["[", "O"] {
        for last in ["A", "B", "C", "D", "H", "F"] {
          for byte in ["\u{1B}", introducer, last] {
            try await screen.send(bytes: Array(byte.utf8))
            // The time between the bytes is under test here.
            try await Task.sleep(for: .milliseconds(introducer == "[" ? 200 : 60))
          }
        }
      }
      try await screen.type("1gg")
      try await screen.wait(for: "[1 Tray 3]", "1 of 3", "● live, all sent")
      #expect(try await device.items() == before)
    }
  }
}
