import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Foundation
import Testing

@Suite("Screens")
struct MainScreenTests {
  @Test("at its full width the tray shows every column")
  func trayAsDocumented() {
    assertScreen(Scenes.desk(100, 21).frame, "tray/100x21")
  }

  /// A connection state with the expected header and notices.
  ///
  /// The header's text is followed by the letter of its role, and, by width, the line above the
  /// footer that explains the state.
  struct Connection: Sendable, CustomTestStringConvertible {
    var status: ConnectionStatus
    var header: String
    var role: Character
    var notices: [Int: String] = [:]

    var testDescription: String { header }

    static let all = [
      Connection(status: .init(.connecting), header: "◐ connecting", role: "d"),
      Connection(status: .init(.live), header: "● live, all sent", role: "k"),
      Connection(status: .init(.live, waiting: 2), header: "● live, 2 waiting", role: "k"),
      Connection(
        status: .init(.polling(every: .seconds(30))), header: "◐ polling every 30 s", role: "a"),
      Connection(
        status: .init(.offline(since: nil)), header: "○ offline", role: "e",
        notices: [
          80: " Store unreachable. Changes are saved and sent later.  R try now",
          120: " Store unreachable. Changes are saved and sent later.  R try now",
        ]),
      Connection(
        status: .init(.signedOut(Provenance(by: "work-laptop", at: Scenes.before(2))), waiting: 1),
        header: "✗ sign in again", role: "e",
        notices: [
          80: " Signed out by work-laptop today at 06:12. History is still here. bellhop login",
          120: " work-laptop signed this device out today at 06:12. History is still here."
            + "  To sign in: bellhop login",
        ]),
    ]
  }

  @Test("the header shows the state of the connection", arguments: Connection.all, [80, 120])
  func connections(_ connection: Connection, _ width: Int) {
    var desk = Scenes.desk(width, 24)
    desk.send(.account(.connection(connection.status)))
    let glyphs = lines(desk.frame.glyphs)
    let roles = lines(desk.frame.roles)
    #expect(glyphs[0].hasPrefix(" bellhop "))
    #expect(glyphs[0].contains(" [1 Tray 5]  2 History  3 Later 1  4 Apps "))
    #expect(glyphs[0].hasSuffix("   " + connection.header))
    #expect(glyphs[0].contains(width == 120 ? "   alice@home   " : "  ali"))
    let role = String(repeating: connection.role, count: connection.header.count)
    #expect(roles[0].hasSuffix(" " + role))
    if let notice = connection.notices[width] {
      #expect(glyphs[22] == notice)
      #expect(roles[22].first == "e")
    } else {
      #expect(glyphs[22].hasPrefix("──"))
    }
  }

  private func lines(_ plane: String) -> [Substring] {
    plane.split(separator: "\n", omittingEmptySubsequences: false)
  }

  @Test("every snapshot belongs to a pane that is tested")
  func noneLeftOver() throws {
    // Snapshots may be missing while they are being recorded.
    guard ProcessInfo.processInfo.environment["BELLHOP_RECORD_SCREENS"] != "1" else { return }
    let folder = SourceTree.root.appending(path: "Tests/ScreenTests/Snapshots")
    let found = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".txt") }
    let wanted = PaneScene.all.flatMap { scene in
      scene.pictured.flatMap { condition in
        scene.sizes(condition).map { scene.pictureName(condition, $0) + ".txt" }
      }
    }
    #expect(Set(found) == Set(wanted).union(["tray/100x21.txt"]))
    #expect(wanted.count == Set(wanted).count)
  }
}
