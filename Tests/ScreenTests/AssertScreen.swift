import BellhopScreen
import BellhopTestSupport
import Foundation
import Testing

/// Compares a frame with the snapshot of this name: its glyphs, and one letter per role.
///
/// With `BELLHOP_RECORD_SCREENS=1` in the environment the snapshot is written instead; review the
/// difference before you commit it. A missing snapshot fails.
///
/// - Parameters:
/// - glyphs: The first plane, if not the frame's own.
/// - roles: The second plane; nil for none.
func assertScreen(
  _ frame: Frame, _ name: String, glyphs: String, roles: String?,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let drawn = screenText(frame, glyphs, roles)
  let url = SourceTree.root.appending(path: "Tests/ScreenTests/Snapshots/\(name).txt")
  if ProcessInfo.processInfo.environment["BELLHOP_RECORD_SCREENS"] == "1" {
    do {
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try drawn.write(to: url, atomically: true, encoding: .utf8)
    } catch {
      Issue.record("cannot write \(url.path): \(error)", sourceLocation: sourceLocation)
    }
    return
  }
  guard let expected = try? String(contentsOf: url, encoding: .utf8) else {
    Issue.record(
      "no snapshot \(name); record it with BELLHOP_RECORD_SCREENS=1. Drawn:\n\(drawn)",
      sourceLocation: sourceLocation)
    return
  }
  guard drawn != expected else { return }
  let old = expected.split(separator: "\n", omittingEmptySubsequences: false)
  let new = drawn.split(separator: "\n", omittingEmptySubsequences: false)
  let line = zip(old, new).prefix { $0 == $1 }.count
  Issue.record(
    """
    \(name) differs from its snapshot in line \(line + 1):
    - \(line < old.count ? old[line] : "(nothing)")
    + \(line < new.count ? new[line] : "(nothing)")
    Drawn:
    \(drawn)
    """, sourceLocation: sourceLocation)
}

/// Compares both of the frame's planes with the snapshot of this name.
func assertScreen(
  _ frame: Frame, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  assertScreen(
    frame, name, glyphs: frame.glyphs, roles: frame.roles, sourceLocation: sourceLocation)
}

/// The snapshot's text of a frame: size, cursor and title, then the planes, each line behind a bar.
private func screenText(_ frame: Frame, _ glyphs: String, _ roles: String?) -> String {
  let cursor = frame.cursor.map { "\($0.x),\($0.y)" } ?? "hidden"
  func plane(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { "|\($0)" }
      .joined(separator: "\n")
  }
  return """
    size \(frame.size.width)x\(frame.size.height) · cursor \(cursor) · title \(frame.title)
    \(plane(glyphs))\(roles.map { "\nroles\n" + plane($0) } ?? "")

    """
}
