import FoundationEssentials
import Glibc

/// What is wrong with the machine that a program under test runs on (`CFaults.h`).
enum Fault: Sendable {
  /// The wall clock is ahead by so many seconds, or behind.
  case clock(seconds: Int)
  /// The wall clock, and the time since the start, are ahead by what the file says at the moment.
  case sleep(MachineSleep)
  /// The disk below the folder is full, fails or forgets as a ``FaultyDisk`` says.
  case disk(FaultyDisk)
  /// A folder has a file system of its own.
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

  /// What starts a program where the fault is; it becomes that program.
  var launcher: [String] {
    if case .small(let disk) = self { disk.launcher } else { [] }
  }
}

/// The sleep of the machine that programs run on: for them the time passes at once.
struct MachineSleep: Sendable {
  let file: String

  init(folder: String) throws {
    file = folder + "/slept"
    try sleep(seconds: 0)
  }

  /// - Parameter seconds: slept since the programs began.
  func sleep(seconds: Int) throws {
    // At once, because the programs read it all the time.
    try Data("\(seconds)\n".utf8).write(to: URL(filePath: file), options: .atomic)
  }
}
