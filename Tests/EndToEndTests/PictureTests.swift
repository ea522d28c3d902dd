import BellhopTestSupport
import Foundation
import Glibc
import TerminalReader
import Testing

@Suite("Pictures on a terminal that supports them", .realPrograms)
struct PictureTests {
  /// A stand-in for chafa that draws kitty pixels on request, else characters.
  private static let chafa = """
    #!/bin/sh
    case "$*" in
    *kitty*)
      printf '\\033_Ga=T,f=24,s=64,v=48,c=8,r=6,m=1\\033\\\\'
      n=0; while [ $n -lt 16 ]; do
        printf '\\033_Gm=1;'
        i=0; while [ $i -lt 8 ]; do
          printf 'AAAA/////wAAAP8AAAD/AAAA/////wAAAP8AAAD/AAAA/////wAAAP8AAAD/AAAA'
          printf '/////wAAAP8AAAD/AAAA/////wAAAP8A'
          i=$((i+1)); done
        printf '\\033\\\\'
        n=$((n+1)); done
      printf '\\033_Gm=0\\033\\\\';;
    *) printf 'characters\\n';;
    esac
    """

  /// Runs blocking work on its own thread, because the pool has few.
  private func onThread(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      Thread { done.resume(with: Result { try work() }) }.start()
    }
  }

  /// The program in a terminal that reads its output strictly.
  private struct Watched {
    let program: PseudoTerminal
    var reader = VTReader(columns: 80, rows: 24)

    mutating func wait(for what: String, until condition: (VTReader) -> Bool) throws {
      while !condition(reader) {
        let bytes = program.takeOutput()
        guard !bytes.isEmpty else {
          throw PseudoTerminal.Failure.timeout(
            waitingFor: what, output: reader.lines.joined(separator: "\n"))
        }
        reader.read(bytes)
      }
      #expect(reader.violations == [], "\(what)")
    }
  }

  @Test(
    "the terminal's best protocol is used, within the pane, and the picture ends with the preview",
    arguments: [
      (GraphicsReader.Shown.Kind.kitty, "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[6;20;10t\u{1B}[?62;22c"),
      (.sixel, "\u{1B}[6;20;10t\u{1B}[?1;0;256S\u{1B}[?62;4;22c"),
    ])
  func shown(kind: GraphicsReader.Shown.Kind, answers: String) async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      let file = scene.folder + "/square.png"
      try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(to: URL(filePath: file))
      let answer = try await publisher.curl(
        "/backups", ["--header", "Filename: square.png", "--upload-file", file])
      #expect(answer.status == 200, "\(answer.body)")
      try await device.succeed("sync")
      let programs = scene.folder + "/programs"
      try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: false)
      try Data(Self.chafa.utf8).write(to: URL(filePath: programs + "/chafa"))
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o700], ofItemAtPath: programs + "/chafa")
      var environment = device.environment
      environment["PATH"] = programs + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
      environment["TERM"] = "xterm-256color"
      for name in ["TMUX", "NO_COLOR", "SSH_TTY", "SSH_CONNECTION", "STY"] {
        environment[name] = nil
      }
      let settled = environment
      try await onThread {
        var screen = Watched(
          program: try PseudoTerminal(
            Programs.bellhop, environment: settled, directory: device.folder))
        try screen.wait(for: "the item") { reader in
          reader.lines.contains { $0.contains("backups") && $0.contains("▤") }
            && reader.lines[0].hasSuffix("all sent")
        }
        #expect(screen.reader.graphics.questions == 0)
        screen.program.send("E")
        try screen.wait(for: "the question") { $0.graphics.questions == 1 }
        screen.program.send(answers)
        try screen.wait(for: "the picture") { $0.graphics.shown.count == 1 }
        let shown = try #require(screen.reader.graphics.shown.first)
        #expect(shown.kind == kind && shown.width == 64 && shown.height == 48)
        #expect(shown.columns == 7 && shown.rows == 3)
        #expect(screen.reader.lines[0].contains("Preview square.png"))
        screen.program.send("q")
        try screen.wait(for: "the list without the picture") { reader in
          reader.lines[0].hasSuffix("all sent") && reader.graphics.shown == []
            && reader.graphics.coveredCells == 0
        }
        // The capability is known from now on.
        screen.program.send("E")
        try screen.wait(for: "the picture again") { $0.graphics.shown.count == 1 }
        #expect(screen.reader.graphics.questions == 1)
        screen.program.send("qq")
        try screen.wait(for: "the terminal given back") { $0.modes == VTReader.freshModes }
        try screen.program.waitForEnd(as: .exited(0))
      }
    }
  }
}
