import BellhopClient
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Foundation
import Testing

@testable import BellhopInbox
@testable import BellhopShell

@Suite("The program that draws pictures", .realPrograms)
struct PictureProgramTests {
  private static let order = PictureOrder(
    serial: 1, path: "/p", size: Size(width: 8, height: 3))

  /// The outcome of a script used as the program.
  private func outcome(
    _ script: String, of order: PictureOrder = PictureProgramTests.order,
    _ change: (inout PictureProgram) -> Void = { _ in },
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
    while true {
      let outcome = program.draw(order) { isCancelled(folder.path) }
      // A parallel test was starting a program while the script was written.
      guard isFailure(outcome, "Text file busy") else { return outcome }
    }
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

  @Test("without the program nothing is tried")
  func absent() {
    let program = PictureProgram(
      environment: ["PATH": "/nonexistent:relative"], depth: .direct, isUTF8: true)
    #expect(program.draw(Self.order) { false } == .noProgram)
  }

  @Test("its output is refused unless it is a picture, and its messages become the error")
  func garbage() throws {
    for script in [
      "printf '\\033]0;x\\007'", "printf '\\033[2J'", "head -c 100 /dev/urandom", "true",
      "printf 'too wide for it'",
    ] {
      let outcome = try outcome(script)
      #expect(isFailure(outcome, "did not produce a picture"), "\(script): \(outcome)")
    }
    #expect(isFailure(try outcome("echo ab; exit 2"), "cannot read the file"))
    #expect(isFailure(try outcome("kill -9 $$"), "cannot read the file"))
  }

  @Test("a hanging program is killed with all its children")
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

  /// Whether the process is gone, or a zombie not yet reaped.
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

  @Test("a program with more output than any picture is killed")
  func long() throws {
    #expect(isFailure(try outcome("yes x | head -c 100000000"), "is too large"))
  }

  @Test("it is killed when the picture is no longer wanted")
  func cancelled() throws {
    #expect(try outcome("sleep 1000", isCancelled: { _ in true }) == .cancelled)
  }

  @Test("it gets only the memory that a picture needs, and writes no file")
  func bounded() throws {
    let bound = "test \"$(ulimit -v)\" = 1048576 -a \"$(ulimit -t)\" = 10 -a \"$(ulimit -f)\" = 0"
    // The limits are set right after the start.
    let script = "n=0; until \(bound) || test $n = 10000; do n=$((n+1)); done; \(bound) && echo ok"
    let ok = try Picture(drawn: Array("ok".utf8), within: Self.order.size)
    #expect(try outcome(script) == .drawn(ok))
  }

  @Test(
    "it is called for the colours and characters that the terminal has",
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

  // MARK: - Pixels

  private static let cell = PixelSize(width: 10, height: 20)

  private func pixelOutcome(_ script: String, _ graphics: GraphicsProtocol) throws -> PictureOutcome
  {
    var order = Self.order
    order.means = .pixels(graphics, cell: Self.cell, colors: 16)
    return try outcome(script, of: order)
  }

  /// Two pixels in kitty's format.
  private static let pixels = "\\033_Ga=T,f=24,s=2,v=1,m=1\\033\\\\\\033_Gm=0;AAAA////\\033\\\\"

  @Test("pixels are read, and encoded again for the terminal")
  func pixels() throws {
    let size = PixelSize(width: 2, height: 1)
    let image = try #require(
      PixelImage(size: size, bytes: [0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]))
    for graphics in [GraphicsProtocol.kitty, .sixel] {
      let made = try #require(TerminalImage(image, for: graphics, colors: 16))
      #expect(try pixelOutcome("printf '\(Self.pixels)'", graphics) == .pixels(made))
    }
    for script in ["printf '\\033P0;1;0q#0~\\033\\\\'", "echo ab", "true"] {
      let outcome = try pixelOutcome(script, .kitty)
      #expect(isFailure(outcome, "did not produce a picture"), "\(script): \(outcome)")
    }
    #expect(isFailure(try pixelOutcome("yes x | head -c 100000000", .sixel), "is too large"))
  }

  @Test("the requested pixels fit the pane, and what a line can carry")
  func area() {
    func size(_ width: Int, _ height: Int, _ environment: [String: String] = [:]) -> String {
      let program = PictureProgram(environment: environment, depth: .direct, isUTF8: true)
      let line = program.arguments("/p", area: PixelSize(width: width, height: height))
      #expect(line.joined(separator: " ").hasPrefix("--format kitty"))
      #expect(line.suffix(4).first == "1/1" && line.last == "/p")
      return line[line.count - 2]
    }
    #expect(size(800, 400) == "100x50")
    #expect(size(87, 47) == "10x5" && size(3, 3) == "1x1")
    #expect(size(4000, 2000) == "111x55")
    #expect(size(4000, 2000, ["SSH_TTY": "/dev/pts/0"]) == "55x27")
  }

  @Test("a user who wants no pictures gets none")
  func off() throws {
    #expect(isFailure(try outcome("printf x") { $0.isOn = false }, "pictures = \"off\""))
  }

  // MARK: - Fetched files

  @Test("the type of a fetched file comes from its bytes, and it is copied whole")
  func stored() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/a"
    let text = String(repeating: "0123456789\n", count: 30_000)
    try Data(text.utf8).write(to: URL(filePath: path))
    guard case .text(let shown) = try FetchedFile.preview(path) else {
      Issue.record("it is text")
      return
    }
    #expect(shown.isCut && shown.lines.first == "0123456789")
    let copy = try NewFile.make("b", in: folder.path)
    try FetchedFile.copy(path, to: copy)
    #expect(try String(contentsOfFile: copy.path, encoding: .utf8) == text)
    #expect(FetchedFile.isThere(path) && !FetchedFile.isThere(folder.path))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link", withDestinationPath: path)
    #expect(!FetchedFile.isThere(folder.path + "/link"))
    #expect(throws: ClientError.self) { try FetchedFile.preview(folder.path + "/none") }
  }
}
