/// The fields of a process that the kernel reports (proc_pid_stat(5)).
struct ProcessFacts {
  /// The fields after the name, which is in parentheses and may contain any text.
  private let fields: [Substring]

  /// Reads the fields; nil if the process does not exist, or `/proc` is not mounted.
  init?(_ process: Int32) {
    guard let line = try? PrivateFile.read("/proc/\(process)/stat", isSecret: false),
      let end = line.lastIndex(of: ")")
    else { return nil }
    fields = line[line.index(after: end)...].split(whereSeparator: \.isWhitespace)
  }

  /// Whether the process has not ended. A zombie, which its parent has not reaped, has.
  var isRunning: Bool { fields.first != "Z" && fields.first != "X" }

  /// The time when the process was started, in ticks since the machine started.
  var startTime: Substring? { fields.count > 19 ? fields[19] : nil }
}
