#if BELLHOP_POSTGRES
import Glibc

/// The processes of a server: the one that was started, and its children.
struct ProcessTree {
  /// The CPU time of all of them, with that of children which have ended.
  let cpu: Duration

  /// Reads the figures of a process and of its children, whose children are not counted.
  ///
  /// - Throws: ``BenchError`` if the process has ended.
  init(of process: Int32) throws {
    let own = try Self.fields(of: process)
    guard own.count > 14 else { throw BenchError("the process \(process) has no figures") }
    // Its own time as user and in the kernel, and that of the children that it has waited for.
    var ticks = own[11...14].reduce(0) { $0 + $1 }
    for child in Files.names(in: "/proc").compactMap({ Int32($0) }) where child != process {
      // The process may have ended meanwhile.
      guard let fields = try? Self.fields(of: child), fields.count > 14,
        fields[1] == Int(process)
      else { continue }
      ticks += fields[11] + fields[12]
    }
    cpu = .milliseconds(ticks * 1000 / max(1, sysconf(Int32(_SC_CLK_TCK))))
  }

  /// Returns the fields of `/proc/PID/stat` from the state on, which is 0 here because it is a letter.
  private static func fields(of process: Int32) throws -> [Int] {
    let stat = try ProcessFigures.text("/proc/\(process)/stat")
    // The name may contain spaces; everything after its closing parenthesis is numbers.
    let rest = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].dropFirst()
    return rest.split(separator: " ").map { Int($0) ?? 0 }
  }
}

extension [Server] {
  /// Returns the CPU time of all processes, without that of their children.
  func cpu() throws -> Duration {
    try reduce(Duration.zero) { $0 + (try ProcessFigures(of: $1.processID).cpu) }
  }
}
#endif
