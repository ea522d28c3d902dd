import BellhopTestSupport
import Foundation

extension Scene {
  /// Runs a statement with the system's own SQLite, and returns the rows' first columns.
  func sqlite(_ statement: String, on file: String) async throws -> String {
    let script = """
      import sqlite3, sys
      rows = sqlite3.connect(sys.argv[1], isolation_level=None).execute(sys.argv[2]).fetchall()
      print("; ".join(str(row[0]) for row in rows))
      """
    let child = try Child(
      Programs.python, ["-c", script, file, statement], environment: ["PATH": "/usr/bin:/bin"],
      directory: folder, folder: folder + "/sqlite")
    guard try await child.waitForEnd() == .exited(0) else {
      throw NotSeen("success of \(statement)", seen: child.errors)
    }
    return child.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
