internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopScreen
internal import BellhopText
internal import CBellhopSystem
internal import Glibc

/// The picture decoder `chafa`, if it is installed.
///
/// Picture decoders are a common target of attacks. The program therefore runs in a separate
/// process, with limited memory, limited time and no files to write. Its output never reaches the
/// terminal: ``Picture/init(drawn:within:)`` or ``PixelImage/init(drawn:within:)`` parses it.
struct PictureProgram: Sendable {
  /// The limits for one picture.
  struct Limits: Sendable {
    var time = Duration.seconds(10)
    /// The largest output. A picture has about twenty bytes per cell.
    var outputBytes = 2 << 20
    /// The largest output for pixels: six bytes each, in Base64.
    var pixelOutputBytes = 8 << 20
    /// The most pixels to request, however large the pane.
    ///
    /// The terminal receives three bytes for each, in Base64, and nothing else can be drawn
    /// meanwhile.
    var pixels = 400_000
    /// The address space: a picture of several thousand pixels per side, and the needs of the
    /// libraries.
    var memoryBytes: UInt64 = 1 << 30
  }

  /// The path of the program; nil if it is not installed.
  var path: String?
  var depth: ColorDepth
  var isUTF8: Bool
  /// Whether the user wants pictures.
  var isOn = true
  var limits = Limits()

  /// The number of pixels that a slow line carries within a moment.
  private static let remotePixels = 100_000

  init(environment: [String: String], depth: ColorDepth, isUTF8: Bool, isOn: Bool = true) {
    path = ChildProcess.find("chafa", environment: environment)
    self.isOn = isOn
    let isRemote = ["SSH_CONNECTION", "SSH_TTY"].contains { environment[$0]?.isEmpty == false }
    if isRemote { limits.pixels = Self.remotePixels }
    self.depth = depth
    self.isUTF8 = isUTF8
  }

  /// - Parameter file: An absolute path, so that it is never read as an option.
  func arguments(_ file: String, size: Size) -> [String] {
    let colors =
      switch depth {
      case .monochrome: ["--colors", "none"]
      // Few colours form few pairs, and the background remains the terminal's.
      case .ansi8: ["--colors", "8", "--fg-only"]
      case .ansi16: ["--colors", "16", "--fg-only"]
      // Without the first 16, which users customise.
      case .indexed256, .direct: ["--colors", "240"]
      }
    return [
      "--format", "symbols", "--animate", "off", "--polite", "on", "--threads", "1", "--symbols",
      isUTF8 ? "block" : "ascii", "--size", "\(size.width)x\(size.height)",
    ] + colors + [file]
  }

  /// The pixels per side of a cell if the program has no terminal.
  private static let cellSide = 8

  /// Returns the arguments for pixels, in kitty's format, which is lossless, and in square cells.
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

  /// Runs the program to its end, blocking the thread.
  ///
  /// - Parameter isCancelled: Called several times a second.
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
    } catch let stop as LimitError {
      return stop.outcome
    } catch {
      return .failed("chafa did not produce a picture.")
    }
  }

  /// The reason why there is no picture.
  private struct LimitError: Error {
    var outcome: PictureOutcome
  }

  /// Returns the program's output.
  ///
  /// - Throws: ``LimitError``.
  private func output(
    of path: String, _ arguments: [String], bytesMax: Int, _ isCancelled: () -> Bool
  ) throws -> [UInt8] {
    let end = ContinuousClock.now + limits.time
    let child: ChildProcess.Started
    do {
      child = try ChildProcess.start(path, arguments, isDetached: true)
    } catch {
      throw LimitError(outcome: .failed(SafeText(error.explanation)))
    }
    var ending = limit(child.processID) ? nil : PictureEnding.failed
    var bytes: [UInt8] = []
    if ending == nil {
      ending = read(child, into: &bytes, bytesMax: bytesMax, until: end, isCancelled)
    }
    if ending == nil { ending = awaitEnd(of: child.processID, until: end, isCancelled) }
    // The process leads a session, so this also ends everything that it started.
    kill(-child.processID, SIGKILL)
    close(child.standardOutput)
    let code = ChildProcess.wait(for: child.processID)
    switch ending {
    case .cancelled?: throw LimitError(outcome: .cancelled)
    case .late?: throw LimitError(outcome: .failed("chafa took too long."))
    case .long?: throw LimitError(outcome: .failed("the output of chafa is too large."))
    case .failed?: throw LimitError(outcome: .failed("the limits for chafa cannot be set here."))
    case nil: break
    }
    guard code == 0 else { throw LimitError(outcome: .failed("chafa cannot read the file.")) }
    return bytes
  }

  /// The reason why the program was ended.
  private enum PictureEnding {
    case cancelled, late, long, failed
  }

  /// Limits the process before it decodes anything. Memory that it uses already counts.
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

  /// Waits for the end of the process, which may have closed its output and still be running.
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
