#if BELLHOP_POSTGRES
import Glibc

/// The processes of a server: the one that was started, and its children.
struct ProcessTree {
  /// The CPU time of all of them, with that of children which have ended.
  private(set) var cpu: Duration = .zero
  /// The resident memory that is not backed by files, in MB.
  private(set) var anonymous = 0.0

  /// Reads the figures of a process and of its children, whose children are not counted.
  ///
  /// - Throws: ``BenchError`` if the process has ended.
  init(of process: Int32) throws {
    let own = try Self.fields(of: process)
    guard own.count > 14 else { throw BenchError("the process \(process) has no figures") }
    // Its own time as user and in the kernel, and that of the children that it has waited for.
    var ticks = own[11...14].reduce(0) { $0 + $1 }
    anonymous = try ProcessFigures(of: process).anonymous
    for child in Files.names(in: "/proc").compactMap({ Int32($0) }) where child != process {
      // The process may have ended meanwhile.
      guard let fields = try? Self.fields(of: child), fields.count > 14,
        fields[1] == Int(process)
      else { continue }
      ticks += fields[11] + fields[12]
      anonymous += (try? ProcessFigures(of: child).anonymous) ?? 0
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
#endif
