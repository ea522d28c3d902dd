internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText
internal import Glibc

/// A runner for a command that the user typed, once per item, while the terminal is lent.
enum PipeRunner {
  /// The report at the end: a line below the output of the commands, and a notice on the screen.
  struct Outcome {
    var line: SafeText
    var notice: Notice?
  }

  /// The exit code of a command that the user interrupted. The remaining items are then skipped.
  private static let interrupted = 128 + SIGINT

  static func run(_ order: PipeOrder) -> Outcome {
    let total = order.items.count
    var failures = 0
    var last: Int32 = 0
    for (index, item) in order.items.enumerated() {
      if total > 1 {
        let place = "\(index + 1) of \(total)  "
        StandardOutput.line(SafeText(place) + item.title)
      }
      do {
        last = try ShellCommand.runAndWait(order.command, input: item.text, [:])
      } catch {
        return failed(SafeText(error.explanation))
      }
      if last != 0 { failures += 1 }
      if last == interrupted, index + 1 < total {
        let left = "Ended at \(index + 1) of \(total)."
        return Outcome(
          line: SafeText(left) + keyLine, notice: Notice(.information, SafeText(left)))
      }
    }
    guard failures > 0 else {
      return Outcome(line: "Command finished." + keyLine, notice: nil)
    }
    let line: SafeText =
      total == 1
      ? "Command failed (exit status \(String(last)))."
      : "\(String(failures)) of \(String(total)) commands failed; the last exit status is \(String(last))."
    return Outcome(line: line + keyLine, notice: Notice(.error, line))
  }

  private static let keyLine: SafeText = " Press any key to go back."

  private static func failed(_ reason: SafeText) -> Outcome {
    Outcome(line: reason + keyLine, notice: Notice(.error, reason))
  }
}
