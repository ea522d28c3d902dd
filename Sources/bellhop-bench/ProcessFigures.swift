import Glibc

/// What the kernel says of a process.
struct ProcessFigures {
  /// Resident memory now and at its greatest, in MB.
  var resident = 0.0
  var residentGreatest = 0.0
  /// The part of the resident memory that is no file's, so that no other process shares it, in MB.
  var anonymous = 0.0
  /// CPU time of all threads.
  var cpu: Duration = .zero
  /// How often each thread went to sleep by itself, which is how often it was woken.
  private var sleeps: [String: Int] = [:]

  /// - Throws: ``BenchError`` when the process is gone.
  init(of process: Int32) throws {
    let status = try Self.text("/proc/\(process)/status")
    resident = Self.number("VmRSS:", status) / 1024
    residentGreatest = Self.number("VmHWM:", status) / 1024
    anonymous = Self.number("RssAnon:", status) / 1024
    for thread in Self.threads(of: process) {
      guard let status = try? Self.text("/proc/\(process)/task/\(thread)/status") else { continue }
      sleeps[thread] = Int(Self.number("voluntary_ctxt_switches:", status))
    }
    let stat = try Self.text("/proc/\(process)/stat")
    // The name may hold spaces; everything after its closing bracket is numbers.
    let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
    if fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13]) {
      cpu = .milliseconds((user + system) * 1000 / max(1, sysconf(Int32(_SC_CLK_TCK))))
    }
  }

  /// How often the process was woken since `earlier`, threads that have ended left out.
  func wakeUps(since earlier: ProcessFigures) -> Int {
    sleeps.reduce(0) { $0 + $1.value - (earlier.sleeps[$1.key] ?? 0) }
  }

  /// The size of the machine and what it runs.
  static func machine() -> String {
    let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    let memory = (try? text("/proc/meminfo")).map { Int(number("MemTotal:", $0) / 1_048_576) } ?? 0
    let kernel = (try? text("/proc/sys/kernel/osrelease")) ?? ""
    return "\(cores) cores, \(memory) GB, Linux \(kernel.split(separator: "\n").first ?? "")"
  }

  private static func threads(of process: Int32) -> [String] {
    Files.names(in: "/proc/\(process)/task")
  }

  private static func number(_ label: String, _ text: String) -> Double {
    for line in text.split(separator: "\n") where line.hasPrefix(label) {
      return Double(
        line.dropFirst(label.count).drop { $0 == " " || $0 == "\t" }
          .prefix { $0.isNumber }) ?? 0
    }
    return 0
  }

  /// A file that the kernel writes.
  static func text(_ path: String) throws -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw BenchError("\(path) cannot be read: its process has ended") }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 8192)
    while case let count = read(file, &buffer, buffer.count), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
