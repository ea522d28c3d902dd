import Glibc

/// The kernel's figures of a process.
struct ProcessFigures {
  /// The current resident memory and its peak, in MB.
  var resident = 0.0
  var residentGreatest = 0.0
  /// The resident memory that is not backed by files, and therefore not shared, in MB.
  var anonymous = 0.0
  /// The CPU time of all threads.
  var cpu: Duration = .zero
  /// The number of times that each thread went to sleep by itself, equal to its wake-ups.
  private var sleeps: [String: Int] = [:]

  /// Reads the figures of a process.
  ///
  /// - Throws: ``BenchError`` if the process has ended.
  init(of process: Int32) throws {
    let status = try Self.text("/proc/\(process)/status")
    resident = Self.number("VmRSS:", status) / 1024
    residentGreatest = Self.number("VmHWM:", status) / 1024
    anonymous = Self.number("RssAnon:", status) / 1024
    for thread in Files.names(in: "/proc/\(process)/task") {
      guard let status = try? Self.text("/proc/\(process)/task/\(thread)/status") else { continue }
      sleeps[thread] = Int(Self.number("voluntary_ctxt_switches:", status))
    }
    let stat = try Self.text("/proc/\(process)/stat")
    // The name may contain spaces; everything after its closing parenthesis is numbers.
    let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
    if fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13]) {
      cpu = .milliseconds((user + system) * 1000 / max(1, sysconf(Int32(_SC_CLK_TCK))))
    }
  }

  /// Returns the number of wake-ups since `earlier`, without threads that have ended.
  func wakeUps(since earlier: ProcessFigures) -> Int {
    sleeps.reduce(0) { $0 + $1.value - (earlier.sleeps[$1.key] ?? 0) }
  }

  /// Returns the size of the machine and its kernel.
  static func machine() -> String {
    let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    let memory = (try? text("/proc/meminfo")).map { Int(number("MemTotal:", $0) / 1_048_576) } ?? 0
    let kernel = (try? text("/proc/sys/kernel/osrelease")) ?? ""
    return "\(cores) cores, \(memory) GB, Linux \(kernel.split(separator: "\n").first ?? "")"
  }

  private static func number(_ label: String, _ text: String) -> Double {
    for line in text.split(separator: "\n") where line.hasPrefix(label) {
      return Double(
        line.dropFirst(label.count).drop { $0 == " " || $0 == "\t" }
          .prefix { $0.isNumber }) ?? 0
    }
    return 0
  }

  /// Reads a file of the `/proc` file system.
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
