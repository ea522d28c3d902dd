internal import BellhopInbox
internal import BellhopScreen
internal import BellhopText
internal import CLimits
internal import Glibc

/// Has pictures drawn as characters by `chafa`, where it is installed.
///
/// Decoders of pictures are what strangers aim at, so theirs runs in a process of its own, with little
/// memory, little time and no files to write; and what it prints never reaches the terminal: it is
/// read by ``Picture/init(drawn:within:)``.
struct PictureProgram: Sendable {
  /// What one picture may take.
  struct Limits: Sendable {
    var time = Duration.seconds(10)
    /// The largest picture has some twenty bytes a cell.
    var outputBytes = 2 << 20
    /// Address space: a picture of some thousand pixels a side, and what the libraries need.
    var memoryBytes: UInt64 = 1 << 30
  }

  /// Nil where the program is not installed.
  var path: String?
  var depth: ColorDepth
  var isUTF8: Bool
  var limits = Limits()

  init(environment: [String: String], depth: ColorDepth, isUTF8: Bool) {
    path = ChildProcess.find("chafa", environment: environment)
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

  /// Runs it to its end; blocks.
  ///
  /// - Parameter isCancelled: Asked several times a second.
  func draw(_ order: PictureOrder, isCancelled: () -> Bool) -> PictureOutcome {
    guard let path else { return .noProgram }
    let end = ContinuousClock.now + limits.time
    let child: ChildProcess.Started
    do {
      child = try ChildProcess.start(
        path, arguments(order.path, size: order.size), isDetached: true)
    } catch {
      return .failed(SafeText("\(error)".split(separator: "\n").joined(separator: " ")))
    }
    var ending = limit(child.processID) ? nil : PictureEnding.failed
    var bytes: [UInt8] = []
    if ending == nil { ending = read(child, into: &bytes, until: end, isCancelled) }
    if ending == nil { ending = awaitEnd(of: child.processID, until: end, isCancelled) }
    // It leads a session: whatever it started ends with it.
    kill(-child.processID, SIGKILL)
    close(child.standardOutput)
    let code = ChildProcess.wait(for: child.processID)
    switch ending {
    case .cancelled?: return .cancelled
    case .late?: return .failed("it takes too long.")
    case .long?: return .failed("chafa says too much of it.")
    case .failed?: return .failed("chafa cannot be kept in bounds here.")
    case nil: break
    }
    guard code == 0 else { return .failed("chafa cannot read it.") }
    do {
      return .drawn(try Picture(drawn: bytes, within: order.size))
    } catch {
      return .failed("what chafa says of it is no picture.")
    }
  }

  /// Why it was ended.
  private enum PictureEnding {
    case cancelled, late, long, failed
  }

  /// It has decoded nothing yet, and what it takes from here on is counted with what it has.
  private func limit(_ processID: pid_t) -> Bool {
    let seconds = UInt64(max(1, limits.time.components.seconds))
    return climits_bound(processID, limits.memoryBytes, seconds) != 0
  }

  private static let slice = 100

  private func read(
    _ child: ChildProcess.Started, into bytes: inout [UInt8],
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
      guard bytes.count <= limits.outputBytes else { return .long }
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
