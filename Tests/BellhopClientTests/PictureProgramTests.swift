import BellhopScreen
import BellhopTestSupport
import BellhopText
import Foundation
import Testing

@testable import BellhopClient
@testable import BellhopInbox

@Suite("The program that draws pictures")
struct PictureProgramTests {
  private static let order = PictureOrder(
    serial: 1, path: "/p", size: Size(width: 8, height: 3))

  /// What comes of a program that is a script.
  private func outcome(
    _ script: String, _ change: (inout PictureProgram) -> Void = { _ in },
    isCancelled: (String) -> Bool = { _ in false }
  ) throws -> PictureOutcome {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/chafa"
    try Data("#!/bin/sh\ncd \(folder.path)\n\(script)\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    var program = PictureProgram(
      environment: ["PATH": folder.path], depth: .indexed256, isUTF8: true)
    change(&program)
    return program.draw(Self.order) { isCancelled(folder.path) }
  }

  private func isFailure(_ outcome: PictureOutcome, _ words: String) -> Bool {
    if case .failed(let text) = outcome { text.string.contains(words) } else { false }
  }

  @Test("its output is a picture")
  func drawn() throws {
    let picture = try Picture(
      drawn: Array("\u{1B}[31mab".utf8), within: Self.order.size)
    #expect(try outcome("printf '\\033[31mab\\n'") == .drawn(picture))
  }

  @Test("where it is not installed nothing is tried")
  func absent() {
    let program = PictureProgram(
      environment: ["PATH": "/nonexistent:relative"], depth: .direct, isUTF8: true)
    #expect(program.draw(Self.order) { false } == .noProgram)
  }

  @Test("what it says is refused unless it is a picture, and what it says to a failure")
  func garbage() throws {
    for script in [
      "printf '\\033]0;x\\007'", "printf '\\033[2J'", "head -c 100 /dev/urandom", "true",
      "printf 'too wide for it'",
    ] {
      let outcome = try outcome(script)
      #expect(isFailure(outcome, "is no picture"), "\(script): \(outcome)")
    }
    #expect(isFailure(try outcome("echo ab; exit 2"), "cannot read it"))
    #expect(isFailure(try outcome("kill -9 $$"), "cannot read it"))
  }

  @Test("one that hangs is ended with all that it started")
  func hangs() throws {
    for script in [
      "sleep 1000 & echo $! > child; wait", "exec 1>&-; sleep 1000", "trap '' TERM; sleep 1000",
    ] {
      var child: pid_t?
      let outcome = try outcome(script) {
        $0.limits.time = .milliseconds(700)
      } isCancelled: { folder in
        let text = try? String(contentsOfFile: folder + "/child", encoding: .utf8)
        child = text.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? child
        return false
      }
      #expect(isFailure(outcome, "too long"), "\(script): \(outcome)")
      if let child { #expect(isEnded(child), "\(script): the child lives on") }
    }
  }

  /// Gone, or a zombie that waits for whoever adopted it.
  private func isEnded(_ process: pid_t) -> Bool {
    for _ in 0..<2_000 {
      let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      guard let state = line?.split(separator: ")").last?.first(where: { $0 != " " }) else {
        return true
      }
      if state == "Z" || state == "X" { return true }
      poll(nil, 0, 5)
    }
    return false
  }

  @Test("one that says more than any picture has is ended")
  func long() throws {
    #expect(isFailure(try outcome("yes x | head -c 100000000"), "too much"))
  }

  @Test("it is ended when nobody wants the picture any more")
  func cancelled() throws {
    #expect(try outcome("sleep 1000", isCancelled: { _ in true }) == .cancelled)
  }

  @Test("it gets no more memory than a picture needs, and writes no file")
  func bounded() throws {
    let bound = "test \"$(ulimit -v)\" = 1048576 -a \"$(ulimit -t)\" = 10 -a \"$(ulimit -f)\" = 0"
    // The bounds come right after the start.
    let script = "n=0; until \(bound) || test $n = 10000; do n=$((n+1)); done; \(bound) && echo ok"
    let ok = try Picture(drawn: Array("ok".utf8), within: Self.order.size)
    #expect(try outcome(script) == .drawn(ok))
  }

  @Test(
    "it is asked for the colours and characters that the terminal has",
    arguments: [
      (ColorDepth.monochrome, "--colors none"), (.ansi8, "--colors 8 --fg-only"),
      (.ansi16, "--colors 16 --fg-only"), (.indexed256, "--colors 240"), (.direct, "--colors 240"),
    ])
  func arguments(depth: ColorDepth, colors: String) {
    for isUTF8 in [true, false] {
      let program = PictureProgram(environment: [:], depth: depth, isUTF8: isUTF8)
      let line = program.arguments("/p", size: Size(width: 8, height: 3)).joined(separator: " ")
      #expect(line.hasSuffix(" --size 8x3 \(colors) /p"))
      #expect(line.contains("--format symbols"))
      #expect(line.contains(isUTF8 ? "--symbols block" : "--symbols ascii"))
    }
  }

  // MARK: - What was fetched

  @Test("a file that is here is looked at by its bytes, and copied whole")
  func stored() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/a"
    let text = String(repeating: "0123456789\n", count: 30_000)
    try Data(text.utf8).write(to: URL(filePath: path))
    guard case .text(let shown) = try StoredFile.preview(path) else {
      Issue.record("it is text")
      return
    }
    #expect(shown.isCut && shown.lines.first == "0123456789")
    let copy = try NewFile.make("b", in: folder.path)
    try StoredFile.copy(path, to: copy)
    #expect(try String(contentsOfFile: copy.path, encoding: .utf8) == text)
    #expect(StoredFile.isThere(path) && !StoredFile.isThere(folder.path))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link", withDestinationPath: path)
    #expect(!StoredFile.isThere(folder.path + "/link"))
    #expect(throws: ClientError.self) { try StoredFile.preview(folder.path + "/none") }
  }
}
