import FoundationEssentials
import Glibc

/// A fault of the machine that a program under test runs on (`CFaults.h`).
enum Fault: Sendable {
  /// The wall clock is ahead by this many seconds, or behind.
  case clock(seconds: Int)
  /// The wall clock, and the time since the start, are ahead by the file's current value.
  case sleep(MachineSleep)
  /// The disk below the folder is full, fails or loses data according to a ``FaultyDisk``.
  case disk(FaultyDisk)
  /// A folder has its own file system.
  case small(SmallDisk)

  var environment: [String: String] {
    switch self {
    case .clock(let seconds):
      ["LD_PRELOAD": Programs.faults, "BELLHOP_FAULT_CLOCK": String(seconds)]
    case .sleep(let sleep):
      ["LD_PRELOAD": Programs.faults, "BELLHOP_FAULT_CLOCK": sleep.file]
    case .disk(let disk):
      ["LD_PRELOAD": Programs.faults, "BELLHOP_FAULT_DISK": disk.folder]
    case .small: [:]
    }
  }

  /// The command that starts a program with the fault, and becomes that program.
  var launcher: [String] {
    if case .small(let disk) = self { disk.launcher } else { [] }
  }
}

/// A sleep of the machine, which for its programs passes at once.
struct MachineSleep: Sendable {
  let file: String

  init(folder: String) throws {
    file = folder + "/slept"
    try sleep(seconds: 0)
  }

  /// Sets the time slept.
  ///
  /// - Parameter seconds: The total sleep since the programs began.
  func sleep(seconds: Int) throws {
    // Atomically, because the programs read it all the time.
    try Data("\(seconds)\n".utf8).write(to: URL(filePath: file), options: .atomic)
  }
}
