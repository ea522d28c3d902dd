internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopScreen
internal import BellhopText
internal import CBellhopSystem
internal import Glibc

/// Has pictures drawn by `chafa`, where it is installed.
///
/// Decoders of pictures are what strangers aim at, so theirs runs in a process of its own, with little
/// memory, little time and no files to write; and what it prints never reaches the terminal: it is
/// read by ``Picture/init(drawn:within:)``, or by ``PixelImage/init(drawn:within:)``.
struct PictureProgram: Sendable {
  /// What one picture may take.
  struct Limits: Sendable {
    var time = Duration.seconds(10)
    /// The largest picture has some twenty bytes a cell.
    var outputBytes = 2 << 20
    /// The same for pixels: six bytes each, in base 64.
    var pixelOutputBytes = 8 << 20
    /// More are not asked for, however large the pane: three bytes each go to the terminal, in base
    /// 64, while nothing else can be drawn.
    var pixels = 400_000
    /// Address space: a picture of some thousand pixels a side, and what the libraries need.
    var memoryBytes: UInt64 = 1 << 30
  }

  /// Nil where the program is not installed.
  var path: String?
  var depth: ColorDepth
  var isUTF8: Bool
  /// False where the person wants no pictures.
  var isOn = true
  var limits = Limits()

  /// What a slow line carries within a moment.
  private static let remotePixels = 100_000

  init(environment: [String: String], depth: ColorDepth, isUTF8: Bool, isOn: Bool = true) {
    path = ChildProcess.find("chafa", environment: environment)
    self.isOn = isOn
    let isRemote = ["SSH_CONNECTION", "SSH_TTY"].contains { environment[$0]?.isEmpty == false }
    if isRemote { limits.pixels = Self.remotePixels }
    self.depth = depth
    self.isUTF8 = isUTF8
  }

  /// - Parameter file: Absolute, so that it is never read as an option.
  func arguments(_ file: String, size: Size) -> [String] {
    let colors =
      switch depth {
      case .monochrome: ["--colors", "none"]
      // Few colours make few pairs of them, and the ground stays the terminal's.
      case .ansi8: ["--colors", "8", "--fg-only"]
      case .ansi16: ["--colors", "16", "--fg-only"]
      // Without the first 16, which people set to taste.
      case .indexed256, .direct: ["--colors", "240"]
      }
    return [
      "--format", "symbols", "--animate", "off", "--polite", "on", "--threads", "1", "--symbols",
      isUTF8 ? "block" : "ascii", "--size", "\(size.width)x\(size.height)",
    ] + colors + [file]
  }

  /// The pixels of a cell as the program draws them where it has no terminal.
  private static let cellSide = 8

  /// For pixels: in the form for kitty, which says them as they are, and in square cells.
  func arguments(_ file: String, area: PixelSize) -> [String] {
    let share = min(1, (Double(limits.pixels) / Double(max(1, area.count))).squareRoot())
    func cells(_ pixels: Int) -> Int {
      max(1, Int(Double(pixels) * share) / Self.cellSide)
    }
    return [
      "--format", "kitty", "--animate", "off", "--polite", "on", "--threads", "1", "--font-ratio",
      "1/1", "--size", "\(cells(area.width))x\(cells(area.height))", file,
    ]
  }

  /// Runs it to its end; blocks.
  ///
  /// - Parameter isCancelled: Asked several times a second.
  func draw(_ order: PictureOrder, isCancelled: () -> Bool) -> PictureOutcome {
    guard isOn else { return .failed("pictures = \"off\" in config.toml.") }
    guard let path else { return .noProgram }
    do {
      switch order.means {
      case .cells:
        let bytes = try output(
          of: path, arguments(order.path, size: order.size), bytesMax: limits.outputBytes,
          isCancelled)
        return .drawn(try Picture(drawn: bytes, within: order.size))
      case .pixels(let graphics, let cell, let colors):
        let area = PixelSize(
          width: order.size.width * cell.width, height: order.size.height * cell.height)
        let bytes = try output(
          of: path, arguments(order.path, area: area), bytesMax: limits.pixelOutputBytes,
          isCancelled)
        let pixels = try PixelImage(drawn: bytes, within: area)
        guard let image = TerminalImage(pixels, for: graphics, colors: colors) else {
          return .failed("it has too many pixels for the terminal.")
        }
        return .pixels(image)
      }
    } catch let stop as Stop {
      return stop.outcome
    } catch {
      return .failed("what chafa says of it is no picture.")
    }
  }

  /// Why there is nothing of a picture.
  private struct Stop: Error {
    var outcome: PictureOutcome
  }

  /// What the program says.
  ///
  /// - Throws: ``Stop``.
  private func output(
    of path: String, _ arguments: [String], bytesMax: Int, _ isCancelled: () -> Bool
  ) throws -> [UInt8] {
    let end = ContinuousClock.now + limits.time
    let child: ChildProcess.Started
    do {
      child = try ChildProcess.start(path, arguments, isDetached: true)
    } catch {
      throw Stop(outcome: .failed(SafeText(error.explanation)))
    }
    var ending = limit(child.processID) ? nil : PictureEnding.failed
    var bytes: [UInt8] = []
    if ending == nil {
      ending = read(child, into: &bytes, bytesMax: bytesMax, until: end, isCancelled)
    }
    if ending == nil { ending = awaitEnd(of: child.processID, until: end, isCancelled) }
    // It leads a session: whatever it started ends with it.
    kill(-child.processID, SIGKILL)
    close(child.standardOutput)
    let code = ChildProcess.wait(for: child.processID)
    switch ending {
    case .cancelled?: throw Stop(outcome: .cancelled)
    case .late?: throw Stop(outcome: .failed("it takes too long."))
    case .long?: throw Stop(outcome: .failed("chafa says too much of it."))
    case .failed?: throw Stop(outcome: .failed("chafa cannot be kept in bounds here."))
    case nil: break
    }
    guard code == 0 else { throw Stop(outcome: .failed("chafa cannot read it.")) }
    return bytes
  }

  /// Why it was ended.
  private enum PictureEnding {
    case cancelled, late, long, failed
  }

  /// It has decoded nothing yet, and what it takes from here on is counted with what it has.
  private func limit(_ processID: pid_t) -> Bool {
    let seconds = UInt64(max(1, limits.time.components.seconds))
    return bellhop_limit_child(processID, limits.memoryBytes, seconds) != 0
  }

  private static let slice = 100

  private func read(
    _ child: ChildProcess.Started, into bytes: inout [UInt8], bytesMax: Int,
    until end: ContinuousClock.Instant, _ isCancelled: () -> Bool
  ) -> PictureEnding? {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      if isCancelled() { return .cancelled }
      guard ContinuousClock.now < end else { return .late }
      var waiting = pollfd(fd: child.standardOutput, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Int32(Self.slice)) > 0 else { continue }
      let count = Glibc.read(child.standardOutput, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
      guard bytes.count <= bytesMax else { return .long }
    }
  }

  /// It may have closed its output and go on.
  private func awaitEnd(
    of processID: pid_t, until end: ContinuousClock.Instant, _ isCancelled: () -> Bool
  ) -> PictureEnding? {
    while true {
      var info = siginfo_t()
      let options = WEXITED | WNOHANG | WNOWAIT
      guard waitid(P_PID, id_t(processID), &info, options) == 0, info.si_signo == 0 else {
        return nil
      }
      if isCancelled() { return .cancelled }
      guard ContinuousClock.now < end else { return .late }
      poll(nil, 0, 5)
    }
  }
}
