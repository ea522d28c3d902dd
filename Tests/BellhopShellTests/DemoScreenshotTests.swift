import BellhopScreen
import BellhopTestSupport
import BellhopThemes
import Foundation
import Testing

@testable import BellhopShell

@Suite("The picture of the demo")
struct DemoScreenshotTests {
  @Test("the frame shows the newest items of the tray and one of them in full")
  func content() throws {
    let frame = try DemoScreenshot.frame()
    #expect(frame.size == Size(width: 100, height: 30))
    let glyphs = frame.glyphs
    for text in [
      "[1 Tray ", "live, all sent", "failed: unit tests", "sdb: 11 bad sectors",
      "2 of 1,204 tests failed on linux-arm64:", "Parcel at the back door",
    ] {
      #expect(glyphs.contains(text), "\(text)\n\(glyphs)")
    }
  }

  /// With `BELLHOP_RECORD_SCREENS=1` in the environment the picture is written instead.
  @Test("the picture in the repository is that of the present screen")
  func picture() throws {
    let url = SourceTree.root.appending(path: ".github/screenshot.svg")
    let drawn = try DemoScreenshot.frame().svg(styles: Theme.dark.styles(on: nil))
    if ProcessInfo.processInfo.environment["BELLHOP_RECORD_SCREENS"] == "1" {
      try drawn.write(to: url, atomically: true, encoding: .utf8)
      return
    }
    let expected = try String(contentsOf: url, encoding: .utf8)
    #expect(drawn == expected, "record it with BELLHOP_RECORD_SCREENS=1, and look at it")
  }
}
